"""Self-play training and the `patchwork` command."""
