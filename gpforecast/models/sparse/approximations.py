"""The table of approximations: what each takes the covariance of the targets to be.

With :math:`Q_{ab} = K_{aM} K_{MM}^{-1} K_{Mb}` the covariance that passes through the inducing
variables, all of them are

    training covariance:   Q + residual + noise        residual: a part of K - Q, or nothing
    covariance with f*:    Q, or K within a block
    variance of f*:        k**, or q**

(Quinonero-Candela and Rasmussen 2005, table 1; Snelson 2007, sections 2.3 and 3.2.)
"""

from dataclasses import dataclass
from typing import Literal

Residual = Literal["none", "diagonal", "blocks"]


@dataclass(frozen=True)
class Approximation:
    """Which covariance stands for the full one, in training and in prediction.

    Attributes
    ----------
    name : str
    residual : {"none", "diagonal", "blocks"}
        The part of K - Q that the training covariance keeps.
    penalised : bool
        Whether tr(K - Q) / (2 noise_var) is taken off the evidence, which makes it a lower bound
        of the full one (Titsias 2009, eq. 9).
    degenerate : bool
        Whether the variance of f* is q** instead of k** before the data.
    piecewise : bool
        Whether f* has its exact covariance with the rows of its own block.
    induced : bool
        Whether there are inducing inputs at all.
    """

    name: str
    residual: Residual
    penalised: bool = False
    degenerate: bool = False
    piecewise: bool = False
    induced: bool = True


APPROXIMATIONS = {
    a.name: a
    for a in (
        Approximation("sr", "none", degenerate=True),
        Approximation("dtc", "none"),
        Approximation("vfe", "none", penalised=True),
        Approximation("fitc", "diagonal"),
        Approximation("pitc", "blocks"),
        Approximation("pic", "blocks", piecewise=True),
        Approximation("local", "blocks", piecewise=True, induced=False),
        # One block of a part of the rows: a full GP on them.
        Approximation("sd", "blocks", induced=False),
    )
}
