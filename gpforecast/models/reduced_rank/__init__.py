"""Reduced-rank Gaussian processes: factors, evidence, training, and both predictions."""
