"""Functions of arrays: formulas that are compiled, and what goes with them.

``compiled`` holds what runs in machine code; the other files arrange its arguments and call
it. Nothing here checks what it is given, but for the two public functions. Each compiled function
has a plain twin among the tests.
"""

from gpforecast.numerics.expectations import L_matrix, l_vector

__all__ = ["L_matrix", "l_vector"]
