"""Quilt Show: rules, hidden information, interfaces, agents."""
