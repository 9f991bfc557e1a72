"""One folder a game; each knows its rules and no reinforcement-learning library."""
