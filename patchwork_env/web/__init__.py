"""The page on which people play: a local server and what it serves."""
