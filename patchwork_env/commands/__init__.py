"""Commands of `patchwork` that need nothing but the environment.

A command is a module with ``add_arguments(parser)`` and ``run(arguments) -> int``; `training.cli` has their table.
"""
