"""Sparse approximations of a Gaussian process: their evidence, its gradient, what they predict."""
