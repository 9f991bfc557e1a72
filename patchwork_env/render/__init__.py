"""Pictures of games: one scene, drawn by thin backends."""
