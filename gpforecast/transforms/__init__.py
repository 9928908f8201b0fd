"""Invertible transforms of a series, with what they do to means, variances and paths."""

from gpforecast.transforms.standardise import Standardise

__all__ = ["Standardise"]
