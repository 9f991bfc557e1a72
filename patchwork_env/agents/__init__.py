"""Players that need no training, and the table of their names."""
