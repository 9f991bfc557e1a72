"""Tests of matches, tournaments and ratings."""
