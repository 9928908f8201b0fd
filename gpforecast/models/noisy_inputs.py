"""Inputs known up to noise: their posterior, its annealed mode, and stochastic EM."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models.evidence import FAILED, Evidence, column_spread, evidence_slopes, lbfgs
from gpforecast.models.hamiltonian import MarkovChain, Negative
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_INPUT_NOISE = (1e-6, 1.0)  # bounds of its variance, as a fraction of the input's

_MAX_ITER = 200  # of one value of the noise variance
_LOWEST = 1e-4  # of the targets' mean square, where the path ends if nothing else is given

_MOVES = 3  # trajectories of a chain in one E-step
_FIRST_MOVES = 15  # in the first
_CLIMB = 8  # iterations of L-BFGS in one M-step
_THIN = 4  # trajectories for each draw that is kept


@dataclass(frozen=True, eq=False)
class NoisyInputs:
    r"""The joint density of targets and inputs, of theta and of standardised input noise z.

    The inputs are :math:`x_{nd} = u_{nd} + \sqrt{s_d}\, z_{nd}` with z ~ N(0, 1), so that the
    density of z does not change with s, and s is learned like any hyperparameter.

    Attributes
    ----------
    U : ndarray (n, d)
        The inputs as measured.
    y : ndarray (n,)
    start : ndarray (p,)
        The first theta: logarithms of the covariance's parameters, of the noise variance, and of
        s, (d,), where it is learned.
    bounds : ndarray (p, 2)
    covariance : Covariance
        Its form, with any values.
    given : ndarray (d,) or None
        s, where it is not learned.
    """

    U: FloatArray
    y: FloatArray
    start: FloatArray
    bounds: FloatArray
    covariance: Covariance
    given: FloatArray | None

    @classmethod
    def started(
        cls, problem: Evidence, posterior: Posterior, given: FloatArray | None
    ) -> "NoisyInputs":
        """Return the density to start from a Gaussian process that takes the inputs as exact.

        Where s is learned it starts where it explains the output noise, shared by the inputs:
        noise_var = sum_d s_d E[(df/dx_d)^2].
        """
        start, bounds, U = problem.start, problem.log_bounds, problem.X
        if given is None:
            low, high = np.outer(_INPUT_NOISE, column_spread(U) ** 2)
            steep = U.shape[1] * np.mean(posterior.gradient(U) ** 2, axis=0)
            s = np.clip(problem.noise_var / np.maximum(steep, 1e-300), low, high)
            start = np.append(start, np.log(s))
            bounds = np.vstack([bounds, np.log(np.column_stack([low, high]))])
        return cls(U, problem.y, start, bounds, problem.covariance, given)

    @classmethod
    def held(
        cls, U: FloatArray, y: FloatArray, covariance: Covariance, noise_var: float, s: FloatArray
    ) -> "NoisyInputs":
        """Return the density at hyperparameters that stay."""
        theta = np.append(covariance.log_parameters, np.log(noise_var))
        return cls(U, y, theta, np.column_stack([theta, theta]), covariance, s)

    @property
    def mean_square(self) -> float:
        """Of the targets: the noise variance at which they say nothing on the inputs."""
        return float(np.mean(self.y**2)) or 1.0

    @property
    def at_noise(self) -> int:
        """Where the noise variance is in theta."""
        return len(self.covariance.log_parameters)

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float, FloatArray]:
        """Return the covariance, the noise variance and s, (d,)."""
        k = self.at_noise
        s = np.exp(theta[k + 1 :]) if self.given is None else self.given
        return self.covariance.with_log_parameters(theta[:k]), float(np.exp(theta[k])), s

    def inputs(self, theta: FloatArray, z: FloatArray) -> FloatArray:
        """Return the inputs that standardised noise z, (..., n d), stands for: (..., n, d)."""
        scaled = z.reshape(*z.shape[:-1], *self.U.shape) * np.sqrt(self.unpack(theta)[2])
        return np.asarray(self.U + scaled)

    def given_theta(self, theta: FloatArray) -> Negative:
        """Return the negative log density of z at this theta, as a sampler takes it."""
        return lambda z: self.negative(theta, z)[::2]

    def negative(self, theta: FloatArray, z: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return -log p(y | x, theta) + z'z / 2, and its slopes in theta and in z, (n d,)."""
        covariance, noise_var, s = self.unpack(theta)
        root, z = np.sqrt(s), z.reshape(self.U.shape)
        try:
            value, by_theta, by_inputs, _ = evidence_slopes(
                covariance, noise_var, self.U + root * z, self.y
            )
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta), np.zeros(z.size)
        by_z = root * by_inputs
        by_theta = np.append(by_theta, 0.5 * (by_z * z).sum(axis=0))[: len(theta)]
        return 0.5 * float(np.sum(z * z)) - value, -by_theta, (z - by_z).ravel()

    def cleaned(self, noise_var: float | None, factor: float) -> "tuple[CleaningPath, int]":
        """Follow the most likely inputs and hyperparameters as the noise variance is lowered.

        The variance of the input noise must be given.

        Parameters
        ----------
        noise_var : float or None
            Where to stop. None: at the minimum of the slope, on a path down to a 1e-4th of the
            targets' mean square.
        factor : float
            Between 0 and 1.

        Returns
        -------
        path : CleaningPath
        n_evaluations : int
        """
        lowest = _LOWEST * self.mean_square if noise_var is None else noise_var
        schedule = annealing_schedule(self.mean_square, lowest, factor)
        k, n_theta = self.at_noise, len(self.start)
        variances = np.broadcast_to(self.unpack(self.start)[2], self.U.shape)
        constant = 0.5 * float(np.log(2.0 * np.pi * variances[variances > 0.0]).sum())

        def negative(q: FloatArray) -> tuple[float, FloatArray]:
            value, by_theta, by_z = self.negative(q[:n_theta], q[n_theta:])
            return value, np.append(by_theta, by_z)

        q = np.append(self.start, np.zeros(self.U.size))
        bounds = np.vstack([self.bounds, np.tile([-np.inf, np.inf], (self.U.size, 1))])
        inputs, covariances, slopes, values, n_evaluations = [], [], [], [], 0
        with bar("cleaning the inputs", total=len(schedule), unit="noise variances") as shown:
            for level in schedule:
                q[k] = bounds[k] = np.log(level)
                run = lbfgs(negative, q, bounds, maxiter=_MAX_ITER)
                q, theta = run.x, run.x[:n_theta]
                inputs.append(self.inputs(theta, q[n_theta:]))
                covariances.append(self.unpack(theta)[0])
                slopes.append(abs(float(negative(q)[1][k])))
                values.append(float(run.fun) + constant)
                n_evaluations += int(run.nfev) + 1
                shown.update()
        stopped_at = len(schedule) - 1 if noise_var is not None else int(np.argmin(slopes))
        path = CleaningPath(
            schedule, np.array(inputs), tuple(covariances), np.array(slopes), np.array(values),
            stopped_at,
        )  # fmt: skip
        return path, n_evaluations

    def learned(
        self, noise_var: float | None, *, n_iter: int, n_chains: int, rng: np.random.Generator
    ) -> tuple[FloatArray, int]:
        """Return every M-step's theta, (n_iter, p), and how many evaluations it took.

        E: a few Hamiltonian trajectories of each chain at the present theta, from where the chain
        is. M: L-BFGS on the mean log evidence over the chains' ends, eq. (4.38), in few iterations,
        as the next E-step changes it anyway. The variance of the input noise is learned with the
        rest, standardised noise held: an EM whose hidden variables are z. A given noise variance is
        reached from above, in half of the iterations, as one that is learned would be: chains that
        start at a low one stay in the first mode that they meet.
        """
        theta, bounds, n_evaluations = self.start.copy(), self.bounds.copy(), 0
        levels = None if noise_var is None else _cooled(theta[self.at_noise], noise_var, n_iter, 2)
        chains = [
            MarkovChain(rng.standard_normal(self.U.size), child) for child in rng.spawn(n_chains)
        ]
        thetas = []
        with bar("stochastic EM", total=n_iter, unit="iterations") as shown:
            for i in range(n_iter):
                if levels is not None:
                    theta[self.at_noise] = bounds[self.at_noise] = levels[i]
                for chain in chains:
                    chain.move(self.given_theta(theta), _MOVES if i else _FIRST_MOVES, adapt=True)

                def negative(theta: FloatArray) -> tuple[float, FloatArray]:
                    found = [self.negative(theta, chain.z)[:2] for chain in chains]
                    value = sum(v for v, _ in found) / n_chains
                    return value, np.mean([slopes for _, slopes in found], axis=0)

                run = lbfgs(negative, theta, bounds, maxiter=_CLIMB)
                theta = run.x
                thetas.append(theta.copy())
                n_evaluations += n_chains * int(run.nfev)
                shown.update()
        return np.array(thetas), n_evaluations + sum(chain.n_evaluations for chain in chains)

    def sampled(
        self, *, n_chains: int, n_draws: int, n_warmup: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Draw the inputs at the start by independent chains.

        Every chain starts from the inputs' prior at a high noise variance, which falls during three
        quarters of the warm-up: so chains find different modes.

        Returns
        -------
        draws : ndarray (n_chains n_draws, n, d)
        acceptance : ndarray (n_chains,)
            After the warm-up.
        spread : ndarray (n, d)
            The potential scale reduction of every input, of the halves of all chains.
        """
        theta, k = self.start, self.at_noise
        levels = _cooled(np.log(self.mean_square), float(np.exp(theta[k])), n_warmup, 4 / 3)
        draws, acceptance = [], np.zeros(n_chains)
        total = n_chains * (n_warmup + 1)
        with bar("sampling the inputs", total=total, unit="trajectories") as shown:
            for c, child in enumerate(rng.spawn(n_chains)):
                chain = MarkovChain(child.standard_normal(self.U.size), child)
                for level in levels:
                    warm = np.append(np.append(theta[:k], level), theta[k + 1 :])
                    chain.move(self.given_theta(warm), 1, adapt=True)
                    shown.update()
                found, acceptance[c] = chain.move(self.given_theta(theta), _THIN * n_draws)
                draws.append(found)
                shown.update()
        spread = scale_reduction(np.array(draws)).reshape(self.U.shape)
        kept = np.concatenate([z[_THIN - 1 :: _THIN] for z in draws])
        return self.inputs(theta, kept), acceptance, spread


@storable
@dataclass(frozen=True, eq=False)
class CleaningPath:
    r"""What cleaning found at each output noise variance, from the highest to the lowest.

    Attributes
    ----------
    noise_vars : ndarray (k,)
        Squared units of the target.
    inputs : ndarray (k, n, d)
        The most likely inputs.
    covariances : tuple of Covariance
        With the most likely hyperparameters.
    slopes : ndarray (k,)
        :math:`|\partial P / \partial \log \sigma^2|`.
    negative_log_posteriors : ndarray (k,)
        P, eq. (4.33), in nats. It has no lower bound: it says nothing on where to stop.
    stopped_at : int
        Which of them the model uses.
    """

    noise_vars: FloatArray
    inputs: FloatArray
    covariances: tuple[Covariance, ...]
    slopes: FloatArray
    negative_log_posteriors: FloatArray
    stopped_at: int


def annealing_schedule(highest: float, lowest: float, factor: float) -> FloatArray:
    """Return noise variances from the highest down by a factor, and the lowest at the end."""
    n = max(int(np.ceil(np.log(lowest / highest) / np.log(factor) - 1e-9)), 0)
    return np.append(highest * factor ** np.arange(n), lowest)


def scale_reduction(draws: FloatArray) -> FloatArray:
    """Return the potential scale reduction of chains (c, t, p), each cut into halves: (p,).

    Near 1 where all halves agree (Gelman et al., Bayesian Data Analysis, section 11.4).
    """
    c, t, p = draws.shape
    halves = draws[:, : t // 2 * 2].reshape(2 * c, t // 2, p)
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    stuck = within <= 0.0
    ratio = between / np.where(stuck, 1.0, within)
    return np.where(stuck, np.inf, np.sqrt(1.0 - 2.0 / t + ratio))


def _cooled(high: float, noise_var: float, n: int, share: float) -> FloatArray:
    """Return n logarithms from `high` down to a noise variance, there after n / share of them."""
    low = float(np.log(noise_var))
    falling = np.linspace(max(high, low), low, int(n / share), endpoint=False)
    return np.append(falling, np.full(n - len(falling), low))
