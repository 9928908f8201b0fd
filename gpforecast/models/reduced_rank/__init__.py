"""Reduced-rank Gaussian processes: their evidence, training in rounds, and the further weight."""
