"""Views of the batched core: the batch itself, PettingZoo AEC, and Gymnasium."""
