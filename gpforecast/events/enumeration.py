r"""All possible classes, step after step, with their probabilities.

The classes behind a forecast form a tree. Two branches are merged when they differ only in classes
that are no longer inputs. So their number is at most that of the pasts that matter: :math:`C^L`
with C classes and L lags. Sums over them are exact. The only approximation is that f is drawn anew
at every step, as it is along sample paths.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.events.inputs import drawn
from gpforecast.propagation.layout import Layout


@dataclass(frozen=True, eq=False)
class Enumerated:
    """The joint distribution of the classes of a horizon, exact.

    Attributes
    ----------
    probabilities : ndarray (b, h, C)
    steps : tuple of (ndarray (r, C), ndarray (r, C))
        What may come at each: the probability of each class given each of r pasts, and which past
        of the next step it leads to. Row i of the first is origin i.
    """

    probabilities: FloatArray
    steps: tuple[tuple[FloatArray, IntArray], ...]

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw n paths from every origin, (b, h, n)."""
        b, h, _ = self.probabilities.shape
        found, state = np.empty((b, h, n), dtype=np.int64), np.repeat(np.arange(b)[:, None], n, 1)
        for k, (p, after) in enumerate(self.steps):
            found[:, k] = drawn(p[state], rng)
            state = after[state, found[:, k]]
        return found


def still_inputs(layout: Layout) -> list[IntArray]:
    """Return, for each step and after the last, the predicted nodes that are inputs later on."""
    found = []
    for k in range(layout.horizon + 1):
        later = np.unique(layout.place[k:])
        found.append(later[(later >= layout.first) & (later < layout.first + k)])
    return found


def most_pasts(layout: Layout, n_classes: int) -> float:
    """Return how many pasts `enumerated` follows from an origin at most."""
    return float(max(float(n_classes) ** len(nodes) for nodes in still_inputs(layout)))


def enumerated(
    layout: Layout, n_classes: int, probabilities: Callable[[FloatArray], FloatArray]
) -> Enumerated:
    """Follow every past that matters.

    Parameters
    ----------
    layout : Layout
        Of a series whose values are the places of classes.
    n_classes : int
        C.
    probabilities : callable
        From rows of distinct inputs (r, d), as `layout` has them, to probabilities (r, C).

    Notes
    -----
    A step costs a prediction at each distinct row, and O(C) for each past and origin.
    """
    values, C = layout.initial, n_classes  # (r, nodes), one row a past
    owner = np.arange(len(values))
    weight: FloatArray = np.ones(len(values))
    found, steps = np.zeros((len(values), layout.horizon, C)), []
    kept = still_inputs(layout)
    for k in range(layout.horizon):
        rows, which = np.unique(values[:, layout.place[k]], axis=0, return_inverse=True)
        p = probabilities(rows)[which.ravel()]
        joint = weight[:, None] * p
        np.add.at(found[:, k], owner, joint)
        values, owner = np.repeat(values, C, axis=0), np.repeat(owner, C)
        values[:, layout.first + k] = np.tile(np.arange(C), len(p))
        past = np.column_stack([owner, values[:, kept[k + 1]]])
        _, first, after = np.unique(past, axis=0, return_index=True, return_inverse=True)
        weight = np.asarray(np.bincount(after.ravel(), joint.ravel()), dtype=np.float64)
        values, owner = values[first], owner[first]
        steps.append((p, after.reshape(len(p), C)))
    return Enumerated(found, tuple(steps))
