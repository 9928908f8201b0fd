"""Matrices rearranged once a model, in the order in which the compiled functions read them."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.pairs import ROWS
from gpforecast.numerics.compiled.panels import WIDTH


def panels(A: FloatArray, fill: int = 4) -> FloatArray:
    """Cut A (n_rows, n) into panels of WIDTH columns: (n_panels, rows * WIDTH).

    Rows are filled up with zeros to a multiple of `fill`, columns to one of WIDTH.
    """
    rows, n = A.shape
    padded = np.zeros((_up(rows, fill), _up(n, WIDTH)))
    padded[:rows, :n] = A
    cut = padded.reshape(len(padded), padded.shape[1] // WIDTH, WIDTH).transpose(1, 0, 2)
    return np.ascontiguousarray(cut).reshape(len(cut), len(padded) * WIDTH)


def padded(a: FloatArray) -> FloatArray:
    """Fill a vector up with zeros to a multiple of WIDTH."""
    return np.concatenate([a, np.zeros(-len(a) % WIDTH)])


def symmetric_tiles(W: FloatArray) -> FloatArray:
    """Return the lower triangle of W in tiles, twice what is off the diagonal; W is overwritten.

    For each panel of rows, for each ROWS rows of it, the tiles up to and with the diagonal's.
    """
    n = len(W)
    W *= 2.0
    W[np.diag_indices(n)] *= 0.5
    n_panels = _up(n, WIDTH) // WIDTH
    lower = np.zeros((n_panels * WIDTH, n_panels * WIDTH))
    lower[:n, :n] = np.tril(W)
    tiles = lower.reshape(n_panels, WIDTH // ROWS, ROWS, n_panels, WIDTH).swapaxes(2, 3)
    used = [tiles[p, :, : p + 1].reshape(-1, ROWS * WIDTH) for p in range(n_panels)]
    return np.concatenate([np.zeros((0, ROWS * WIDTH)), *used])


def triangular_blocks(C: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return a lower triangular C as `solve_lower` reads it: its blocks and its corners."""
    if C is None:
        return np.zeros((0, WIDTH * WIDTH)), np.zeros((0, 10))
    n = len(C)
    n_panels = _up(n, WIDTH) // WIDTH
    whole = np.eye(n_panels * WIDTH)
    whole[:n, :n] = np.tril(C)
    fours, diagonal = whole.reshape(len(whole) // 4, 4, -1, 4), np.arange(len(whole) // 4)
    square = fours[diagonal, :, diagonal][: _up(n, 4) // 4]  # (n / 4, 4, 4)
    below = square[:, [1, 2, 2, 3, 3, 3], [0, 0, 1, 0, 1, 2]]
    corners = np.concatenate([1.0 / np.diagonal(square, axis1=1, axis2=2), below], axis=1)
    fours[diagonal, :, diagonal] = 0.0
    blocks = -whole.reshape(n_panels, WIDTH, n_panels, WIDTH).transpose(0, 2, 3, 1)
    used = [blocks[p, : p + 1].reshape(-1, WIDTH * WIDTH) for p in range(n_panels)]
    return np.concatenate([np.zeros((0, WIDTH * WIDTH)), *used]), corners


def _up(n: int, step: int) -> int:
    return -(-n // step) * step
