"""Likelihoods of classes given a latent f, and the Gaussian that stands for their posterior."""
