"""A slow, plain reading of the rulebooks that the fast engine is compared with."""
