"""Quilt Show: the rules, without any RL library."""
