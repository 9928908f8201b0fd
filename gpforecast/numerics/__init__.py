"""Array functions, no classes: the compiled formulas and their plain twins.

``compiled`` holds what runs; ``reference`` holds the same mathematics written another way, with
explicit inverses and determinants, for tests and for reading beside the papers.
"""

from gpforecast.numerics.expectations import L_matrix, l_vector

__all__ = ["L_matrix", "l_vector"]
