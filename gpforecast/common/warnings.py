"""Numerical trouble is recorded on the result and said once; this is how it is said."""


class NumericalWarning(UserWarning):
    """Something numerical went less than well; the result records what and how much."""
