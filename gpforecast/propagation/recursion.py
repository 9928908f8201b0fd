r"""The one loop over the horizon, for every propagation method.

Time is cut into nodes. Node 0 is the oldest value that any lag reaches, node ``n_past`` the first
one to be predicted. What is believed about the nodes is either a joint Gaussian (`_Gaussian`) or
a set of sample paths (`_Paths`); in both, one step selects the lags of the next input, asks the
method what f is there, and appends the answer:

    mean_k = m        Sigma[k, k] = v + noise_var        Sigma[k, :k] = g' Sigma[lags(k), :k]

The last line is Stein's lemma, cov(f(x), z) = E[grad f(x)]' cov(x, z) for jointly Gaussian x, z.
Restricted to the lags it is the papers' cov(y, x) (Quinonero-Candela et al. 2003, eq. 53); taken
over all that came before, it gives the joint distribution of the whole horizon.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed

from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.posteriors.base import Predictive
from gpforecast.posteriors.mixture import Mixture
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.naive import Naive
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class Inputs:
    """Where the inputs of a one-step model come from.

    Attributes
    ----------
    lags : tuple of int
        Lags of the series itself, in the order of the model's first inputs; all at least 1.
    exog : tuple of (int, int)
        Column and lag (0 is the time of the target) of each exogenous input, in order.
    """

    lags: tuple[int, ...]
    exog: tuple[tuple[int, int], ...] = ()

    @property
    def n_past(self) -> int:
        """How many observed values of the series a forecast starts from."""
        return max(self.lags, default=0)

    @property
    def n_past_exog(self) -> int:
        """How many observed values of the exogenous columns it starts from."""
        return max((lag for _, lag in self.exog), default=0)


@dataclass(frozen=True)
class Start:
    """What is known at each of b origins.

    Attributes
    ----------
    past : ndarray (b, n_past)
        The last values, oldest first: observed ones, and expected ones where they are missing.
    exog : ndarray (b, n_past_exog + horizon, q) or None
        Exogenous columns: their last observed values and those at the times to be predicted.
    exog_cov : ndarray (horizon * q, horizon * q) or None
        Covariance of the future exogenous values, step by step, the columns of a step together.
    past_cov : ndarray (b, n_past + n_past_exog * q, n_past + n_past_exog * q) or None
        Covariance of what is not known of the past: the series' values, then the exogenous ones
        time by time. `gpforecast.propagation.missing` finds it where values are missing.
    """

    past: FloatArray
    exog: FloatArray | None = None
    exog_cov: FloatArray | None = None
    past_cov: FloatArray | None = None


@dataclass(frozen=True)
class Propagated:
    """The horizon of b origins, as a joint Gaussian or as paths.

    Attributes
    ----------
    mean : ndarray (b, h)
    covariance : ndarray (b, h, h)
        Of observations: the noise is on its diagonal.
    latent_var : ndarray (b, h)
        Variance of f at each step, without that step's own noise.
    paths : ndarray (b, h, n) or None
        Paths of observations; mean and covariance are then their sample moments.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    """

    mean: FloatArray
    covariance: FloatArray
    latent_var: FloatArray
    paths: FloatArray | None = None
    n_clipped: int = 0

    def scaled(self, factor: FloatArray | float, offset: FloatArray | float) -> "Propagated":
        """Return the horizon of y = factor z + offset, step by step: (h,) and (b, h) or numbers."""
        f, b = np.asarray(factor), np.asarray(offset)
        return Propagated(
            self.mean * f + b,
            self.covariance * np.multiply.outer(f, f),
            self.latent_var * f**2,
            None if self.paths is None else self.paths * f[..., None] + b[..., None],
            self.n_clipped,
        )

    def summed(
        self, sums: Callable[[FloatArray, int], FloatArray], offset: FloatArray
    ) -> "Propagated":
        """Return the horizon of y = A z + offset, for a lower-triangular A of ones on the diagonal.

        Parameters
        ----------
        sums : callable
            Takes an array and one of its axes, and returns A times it along that axis.
        offset : ndarray (b, h)
        """
        covariance = sums(sums(self.covariance, 1), 2)
        before, after = (np.einsum("bhh->bh", S) for S in (self.covariance, covariance))
        return Propagated(
            sums(self.mean, 1) + offset,
            covariance,
            after - (before - self.latent_var),  # a step keeps its own noise
            None if self.paths is None else sums(self.paths, 1) + offset[:, :, None],
            self.n_clipped,
        )

    def plus_noise(self, root: FloatArray, seed: int) -> "Propagated":
        """Return the horizon of z + R e with independent e ~ N(0, I), the same at every step.

        Parameters
        ----------
        root : ndarray (b, h, r)
            R.
        seed : int
            Of the draws for the paths: not the numbers that the paths were made with.
        """
        gain = root @ np.swapaxes(root, 1, 2)
        paths = self.paths
        if paths is not None:
            rng = np.random.default_rng([seed, paths.shape[-1]])
            paths = paths + root @ rng.standard_normal((root.shape[-1], paths.shape[-1]))
        return replace(
            self,
            covariance=self.covariance + gain,
            latent_var=self.latent_var + np.einsum("bhh->bh", gain),
            paths=paths,
        )


def propagate(
    predictive: Predictive,
    method: Propagation | MonteCarlo,
    inputs: Inputs,
    start: Start,
    horizon: int,
    *,
    n_threads: int = 1,
) -> Propagated:
    """Forecast `horizon` steps from every origin.

    Parameters
    ----------
    predictive : Posterior or Predictive
        The one-step model.
    method : Propagation or MonteCarlo
    inputs : Inputs
    start : Start
    horizon : int
    n_threads : int
        Origins are shared out among threads; but for rounding (1e-12 of its scale) the result does
        not depend on their number. Monte Carlo runs in one.

    Returns
    -------
    Propagated

    Notes
    -----
    Beside the method's own cost, a step takes O(horizon * lags) for each origin, and the joint
    covariance O(horizon^2) memory.
    """
    if isinstance(predictive, Mixture):
        return _mixed(predictive, method, inputs, start, horizon, n_threads)
    n_origins = len(start.past)
    if isinstance(method, MonteCarlo):
        paths = _Paths(predictive, method, inputs, start, horizon)
        with bar("forecasting", total=horizon, unit="steps") as shown:
            return _run(paths, horizon, shown.update)
    cuts = np.linspace(0, n_origins, min(n_threads, n_origins) + 1).astype(int)
    beliefs = [
        _Gaussian(predictive, method, inputs, _part(start, a, b), horizon)
        for a, b in pairwise(cuts)
    ]
    # BLAS keeps to one thread: the origins are shared out already.
    with one_blas_thread(), bar("forecasting", total=horizon, unit="steps") as shown:
        counts = [shown.update, *[SILENT.update] * (len(beliefs) - 1)]  # they go about abreast
        parts = Parallel(n_jobs=len(beliefs), prefer="threads")(
            delayed(_run)(belief, horizon, count)
            for belief, count in zip(beliefs, counts, strict=True)
        )
    return Propagated(
        np.concatenate([p.mean for p in parts]),
        np.concatenate([p.covariance for p in parts]),
        np.concatenate([p.latent_var for p in parts]),
        n_clipped=sum(p.n_clipped for p in parts),
    )


def _mixed(
    mixture: Mixture,
    method: Propagation | MonteCarlo,
    inputs: Inputs,
    start: Start,
    horizon: int,
    n_threads: int,
) -> Propagated:
    """Follow each part over the whole horizon and mix: the law of total covariance."""
    counts = _shares(mixture.weights, getattr(method, "n_paths", 0))
    runs = []
    with bar("forecasting", total=len(counts), unit="models") as shown:
        for part, count in zip(mixture.parts, counts, strict=True):
            own = replace(method, n_paths=count) if isinstance(method, MonteCarlo) else method
            runs.append(propagate(part, own, inputs, start, horizon, n_threads=n_threads))
            shown.update()
    latent_var = np.zeros_like(runs[0].latent_var)
    weights = mixture.weights
    mean = np.tensordot(weights, np.array([run.mean for run in runs]), axes=1)
    covariance = np.zeros_like(runs[0].covariance)
    for weight, run in zip(weights, runs, strict=True):
        off = run.mean - mean  # (b, h)
        covariance += weight * (run.covariance + off[:, :, None] * off[:, None, :])
        latent_var += weight * (run.latent_var + off**2)
    n_clipped = sum(run.n_clipped for run in runs)
    paths = [run.paths for run in runs if run.paths is not None]
    if not paths:
        return Propagated(mean, covariance, latent_var, n_clipped=n_clipped)
    together = np.concatenate(paths, axis=-1)
    return Propagated(*_sample_moments(together), latent_var, together, n_clipped)


def _shares(weights: FloatArray, n: int) -> list[int]:
    """Share n paths out by weight, at least two each."""
    cuts = np.rint(np.cumsum(weights) * n).astype(int)
    return [max(2, int(count)) for count in np.diff(cuts, prepend=0)]


def _run(belief: "_Gaussian | _Paths", horizon: int, on_step: Callable[[], object]) -> Propagated:
    for k in range(horizon):
        belief.extend(k)
        on_step()
    return belief.result()


class _Gaussian:
    """A joint Gaussian over the uncertain nodes: the past, future inputs, then predictions."""

    def __init__(
        self,
        predictive: Predictive,
        method: Propagation,
        inputs: Inputs,
        start: Start,
        horizon: int,
    ) -> None:
        self.predictive, self.method = predictive, method
        b = len(start.past)
        self.nodes = _Nodes.of(inputs, start, horizon)
        self.first = self.nodes.first_row
        n, n_before = self.first + horizon, self.nodes.n_uncertain_past
        self.values = self.nodes.initial(start, horizon)
        self.Sigma = np.zeros((b, n, n))
        if start.past_cov is not None:
            self.Sigma[:, :n_before, :n_before] = start.past_cov
        if start.exog_cov is not None:
            self.Sigma[:, n_before : self.first, n_before : self.first] = start.exog_cov
        self.latent_var = np.zeros((b, horizon))
        self.n_clipped = 0
        self.spreads = not isinstance(method, Naive)  # whether it looks at covariances at all

    def extend(self, k: int) -> None:
        node, row = self.nodes.at(k)  # where each input stands, and its row of Sigma or -1
        random = np.flatnonzero((row >= 0) & self.spreads)
        lags = row[random]
        d = len(node)
        u = self.values[:, node]
        S = np.zeros((len(u), d, d))
        S[:, random[:, None], random] = self.Sigma[:, lags[:, None], lags]

        f = self.method.moments(self.predictive, u, S)

        if not (np.isfinite(f.mean).all() and np.isfinite(f.var).all()):
            raise ValueError(
                f"the forecast is no longer a finite number at step {k + 1}: the one-step model "
                f"runs away from the values it learned from. Forecast the differences of the "
                f"series, a shorter horizon, or use a model without a linear part."
            )
        n = self.first + k
        cross = np.einsum("bd,bdn->bn", f.gradient[:, random], self.Sigma[:, lags, :n])
        self.values[:, self.nodes.prediction(k)] = f.mean
        self.Sigma[:, n, :n] = cross
        self.Sigma[:, :n, n] = cross
        self.Sigma[:, n, n] = f.var + self.predictive.noise_var
        self.latent_var[:, k] = f.var
        self.n_clipped += f.n_clipped

    def result(self) -> Propagated:
        mean = self.values[:, self.nodes.n_past : self.nodes.n_past + self.latent_var.shape[1]]
        covariance = self.Sigma[:, self.first :, self.first :]
        return Propagated(mean, covariance, self.latent_var, n_clipped=self.n_clipped)


class _Paths:
    """Sample paths of the nodes, one set for each origin."""

    def __init__(
        self, predictive: Predictive, method: MonteCarlo, inputs: Inputs, start: Start, horizon: int
    ) -> None:
        rng = np.random.default_rng(method.seed)
        self.rng, self.noise = rng, np.sqrt(predictive.noise_var)
        self.nodes = _Nodes.of(inputs, start, horizon)
        self.horizon = horizon
        initial = self.nodes.initial(start, horizon)
        self.values = np.repeat(initial[None], method.n_paths, axis=0)  # (n, b, nodes)
        if start.past_cov is not None:
            roots = np.stack([_square_root(S) for S in start.past_cov])  # (b, p, p)
            z = rng.standard_normal((method.n_paths, *roots.shape[:2]))
            self.values[:, :, self.nodes.past] += np.einsum("bij,nbj->nbi", roots, z)
        if start.exog_cov is not None:
            root = _square_root(start.exog_cov)
            shape = (method.n_paths, len(start.past), len(root))
            self.values[:, :, self.nodes.future_exog] += rng.standard_normal(shape) @ root.T
        self.draw = method.start(predictive, rng)
        self.latent_var = np.zeros((len(start.past), horizon))

    def extend(self, k: int) -> None:
        node, _ = self.nodes.at(k)
        f = self.draw(np.ascontiguousarray(self.values[:, :, node]))
        self.latent_var[:, k] = f.var(axis=0, ddof=1)
        noise = self.noise * self.rng.standard_normal(f.shape)
        self.values[:, :, self.nodes.prediction(k)] = f + noise

    def result(self) -> Propagated:
        first = self.nodes.n_past
        paths = np.moveaxis(self.values[:, :, first : first + self.horizon], 0, -1)  # (b, h, n)
        return Propagated(
            *_sample_moments(paths),
            self.latent_var,
            paths=np.ascontiguousarray(paths),
            n_clipped=getattr(self.draw, "n_clipped", 0),
        )


def _sample_moments(paths: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean (b, h) and covariance (b, h, h) of paths (b, h, n)."""
    mean: FloatArray = paths.mean(axis=-1)
    off = paths - mean[:, :, None]
    return mean, off @ np.swapaxes(off, 1, 2) / (paths.shape[-1] - 1)


@dataclass(frozen=True)
class _Nodes:
    """Which node is where: the series' past and future, then each exogenous time and column."""

    inputs: Inputs
    n_past: int
    n_exog: int
    horizon: int
    uncertain_past: bool
    uncertain_exog: bool
    lags: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lags", np.asarray(self.inputs.lags, dtype=np.int64))

    @staticmethod
    def of(inputs: Inputs, start: Start, horizon: int) -> "_Nodes":
        q = 0 if start.exog is None else start.exog.shape[2]
        uncertain = start.past_cov is not None, start.exog_cov is not None
        return _Nodes(inputs, start.past.shape[1], q, horizon, *uncertain)

    @property
    def _first_exog(self) -> int:
        return self.n_past + self.horizon

    @property
    def future_exog(self) -> slice:
        a = self._first_exog + self.inputs.n_past_exog * self.n_exog
        return slice(a, a + self.horizon * self.n_exog)

    @property
    def past(self) -> IntArray:
        """Nodes of the series' past and of the exogenous past, in the order of `past_cov`."""
        exog = self._first_exog + np.arange(self.inputs.n_past_exog * self.n_exog)
        return np.concatenate([np.arange(self.n_past), exog])

    @property
    def n_uncertain_past(self) -> int:
        """Rows of the joint covariance that are of the past."""
        n = self.n_past + self.inputs.n_past_exog * self.n_exog
        return n if self.uncertain_past else 0

    @property
    def first_row(self) -> int:
        """The row of the first prediction."""
        return self.n_uncertain_past + (self.horizon * self.n_exog if self.uncertain_exog else 0)

    def initial(self, start: Start, horizon: int) -> FloatArray:
        b = len(start.past)
        parts = [start.past, np.zeros((b, horizon))]
        if start.exog is not None:
            parts.append(start.exog.reshape(b, -1))
        return np.concatenate(parts, axis=1)

    def prediction(self, k: int) -> int:
        return self.n_past + k

    def at(self, k: int) -> tuple[IntArray, IntArray]:
        """Nodes of the inputs of step k, and their rows in the joint covariance (-1: known)."""
        back = k - self.lags
        node = self.n_past + back
        row = np.where(back >= 0, self.first_row + back, node if self.uncertain_past else -1)
        exog: Sequence[tuple[int, int]] = self.inputs.exog
        if exog:
            column, lag = np.array(exog, dtype=np.int64).T
            time = k - lag
            place = (self.inputs.n_past_exog + time) * self.n_exog + column
            before = self.n_past + place if self.uncertain_past else -1
            after = self.n_uncertain_past + time * self.n_exog + column
            exog_row = np.where(time < 0, before, after if self.uncertain_exog else -1)
            node = np.concatenate([node, self._first_exog + place])
            row = np.concatenate([row, exog_row])
        return node, row


def _part(start: Start, a: int, b: int) -> Start:
    exog = None if start.exog is None else start.exog[a:b]
    past_cov = None if start.past_cov is None else start.past_cov[a:b]
    return Start(start.past[a:b], exog, start.exog_cov, past_cov)


def _square_root(S: FloatArray) -> FloatArray:
    """Return R with R R' = S for a positive semi-definite S."""
    values, vectors = np.linalg.eigh(S)
    root: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
