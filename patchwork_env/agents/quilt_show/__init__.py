"""Players of Quilt Show that need no training."""
