"""Structural models: a series as level, slope, season and short memory, each of which may change.

They are processes over time itself, not maps of past values, and forecast any number of steps at
once, exactly. With a one-step model they are what short series need: they know what most series
look like.
"""

from gpforecast.structural.ensemble import Ensemble, Member
from gpforecast.structural.model import StructuralModel, StructuralPosterior

__all__ = ["Ensemble", "Member", "StructuralModel", "StructuralPosterior"]
