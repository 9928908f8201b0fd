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
    tiles = np.zeros((WIDTH // ROWS * n_panels * (n_panels + 1) // 2, ROWS, WIDTH))
    first = 0
    for i in range(0, n_panels * WIDTH, ROWS):
        many = i // WIDTH + 1
        for q, j in enumerate(range(0, many * WIDTH, WIDTH)):
            part = W[i : i + ROWS, j : j + WIDTH]
            tile = tiles[first + q, : part.shape[0], : part.shape[1]]
            tile[:] = np.tril(part, i - j)
        first += many
    return tiles.reshape(-1, ROWS * WIDTH)


def triangular_blocks(C: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return a lower triangular C as `solve_lower` reads it: its blocks and its corners."""
    if C is None:
        return np.zeros((0, WIDTH * WIDTH)), np.zeros((0, 10))
    n = len(C)
    n_panels = _up(n, WIDTH) // WIDTH
    blocks = np.zeros((n_panels * (n_panels + 1) // 2, WIDTH, WIDTH))
    square = np.tile(np.eye(4), (_up(n, 4) // 4, 1, 1))
    block = 0
    for i in range(0, n, WIDTH):
        for j in range(0, i + WIDTH, WIDTH):
            part = -np.tril(C[i : i + WIDTH, j : j + WIDTH], i - j).T
            blocks[block, : part.shape[0], : part.shape[1]] = part
            block += 1
        for k in range(0, min(WIDTH, n - i), 4):
            a = i + k
            corner = C[a : a + 4, a : a + 4]
            square[a // 4, : len(corner), : len(corner)] = corner
            blocks[block - 1, k : k + 4, : k + 4] = 0.0
    below = square[:, [1, 2, 2, 3, 3, 3], [0, 0, 1, 0, 1, 2]]
    corners = np.concatenate([1.0 / np.diagonal(square, axis1=1, axis2=2), below], axis=1)
    return blocks.reshape(len(blocks), -1), corners


def _up(n: int, step: int) -> int:
    return -(-n // step) * step
