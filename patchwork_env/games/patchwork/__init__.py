"""The Patchwork family: one engine, editions as data."""
