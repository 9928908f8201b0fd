"""Invertible transforms of a series, and their inverses on means, covariances and paths."""

from gpforecast.transforms.base import Linear, Transform, Warp
from gpforecast.transforms.closed_times import ClosedTimes
from gpforecast.transforms.compose import Chain, Compose
from gpforecast.transforms.damped_mean import DampedMean
from gpforecast.transforms.deterministic import Deterministic, LevelShifts
from gpforecast.transforms.differences import Difference, SeasonalDifference
from gpforecast.transforms.input_effects import InputEffects
from gpforecast.transforms.standardise import Standardise
from gpforecast.transforms.warps import BoxCox, LearnedWarp, Log

__all__ = [
    "BoxCox",
    "Chain",
    "ClosedTimes",
    "Compose",
    "DampedMean",
    "Deterministic",
    "Difference",
    "InputEffects",
    "LearnedWarp",
    "LevelShifts",
    "Linear",
    "Log",
    "SeasonalDifference",
    "Standardise",
    "Transform",
    "Warp",
]
