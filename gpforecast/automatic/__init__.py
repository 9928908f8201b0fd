"""Everything that is chosen for the user: transforms, lags and the model, and why.

Nothing below this room chooses, and nothing below it imports it.
"""
