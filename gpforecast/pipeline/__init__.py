"""What a fitted forecaster does: fit, predict, update, simulate, fill gaps, calibrate, describe.

Forecaster, backtests, panels, reports and adapters all use it.
"""
