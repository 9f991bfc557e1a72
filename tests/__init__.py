"""The tests, in layers: conformance, rules, golden games, properties."""
