"""A way from Python into compiled helpers, which have none of their own."""

from numba import njit


def entry(helper):
    return njit(lambda *arguments: helper(*arguments))
