"""Colours of Quilt Show's pictures."""

from __future__ import annotations

FABRICS = ("#C8413B", "#E08A2E", "#E8C33C", "#4E9A50", "#3E78B8", "#7F52A0")  # red, orange, ... as in `cards.COLORS`
DYE_COLOUR = "#F1ECE2"
PAPER = "#FBF7EF"
TABLE = "#EFE6D6"
INK = "#2B2622"
FAINT = "#8A8074"
BACK = "#9C8F80"  # backs of cards and tiles
ACCENT = "#2F6F6B"
GOLD = "#C99A2E"
