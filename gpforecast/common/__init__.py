"""What every room may import: checks of input, array types, progress bars, warnings.

Nothing here depends on series, models or forecasts.
"""
