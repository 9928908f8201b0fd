"""Stochastic EM: hyperparameters that maximise the evidence averaged over sampled inputs."""

import numpy as np

from gpforecast.common.progress import Bar
from gpforecast.common.types import FloatArray
from gpforecast.models.hamiltonian import Chain
from gpforecast.models.noisy_inputs.problem import NoisyInputs, climbed_down

_MOVES = 3  # trajectories of a chain in one E-step
_FIRST_MOVES = 15  # in the first
_CLIMB = 8  # iterations of L-BFGS in one M-step
_THIN = 4  # trajectories for each draw that is kept


def expectation_maximisation(
    problem: NoisyInputs,
    noise_var: float | None,
    *,
    n_iter: int,
    n_chains: int,
    rng: np.random.Generator,
    shown: Bar,
) -> tuple[FloatArray, int]:
    """Return every M-step's theta, (n_iter, p), and how many evaluations it took.

    E: a few Hamiltonian trajectories of each chain at the present theta, from where the chain is.
    M: L-BFGS on the mean log evidence over the chains' ends, eq. (4.38), in few iterations, as the
    next E-step changes it anyway. The variance of the input noise is learned with the rest,
    standardised noise held: an EM whose hidden variables are z. A given noise variance is reached
    from above, in half of the iterations, as one that is learned would be: chains that start at a
    low one stay in the first mode that they meet.
    """
    theta, bounds, n_evaluations = problem.start.copy(), problem.bounds.copy(), 0
    levels = None if noise_var is None else _cooled(theta[problem.at_noise], noise_var, n_iter, 2)
    chains = [Chain(rng.standard_normal(problem.U.size), child) for child in rng.spawn(n_chains)]
    thetas = []
    for i in range(n_iter):
        if levels is not None:
            theta[problem.at_noise] = bounds[problem.at_noise] = levels[i]
        for chain in chains:
            chain.move(problem.given_theta(theta), _MOVES if i else _FIRST_MOVES, adapt=True)

        def negative(theta: FloatArray) -> tuple[float, FloatArray]:
            found = [problem.negative(theta, chain.z)[:2] for chain in chains]
            value = sum(v for v, _ in found) / n_chains
            return value, np.mean([slopes for _, slopes in found], axis=0)

        run = climbed_down(negative, theta, bounds, _CLIMB)
        theta = run.x
        thetas.append(theta.copy())
        n_evaluations += n_chains * int(run.nfev)
        shown.update()
    return np.array(thetas), n_evaluations + sum(chain.n_evaluations for chain in chains)


def sampled_inputs(
    problem: NoisyInputs,
    *,
    n_chains: int,
    n_draws: int,
    n_warmup: int,
    rng: np.random.Generator,
    shown: Bar,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw the inputs at the problem's start by independent chains.

    Every chain starts from the inputs' prior at a high noise variance, which falls during three
    quarters of the warm-up: so it finds a mode of its own.

    Returns
    -------
    draws : ndarray (n_chains n_draws, n, d)
    acceptance : ndarray (n_chains,)
        After the warm-up.
    spread : ndarray (n, d)
        The potential scale reduction of every input, of the halves of all chains.
    """
    theta, k = problem.start, problem.at_noise
    levels = _cooled(np.log(problem.mean_square), float(np.exp(theta[k])), n_warmup, 4 / 3)
    draws, acceptance = [], np.zeros(n_chains)
    for c, child in enumerate(rng.spawn(n_chains)):
        chain = Chain(child.standard_normal(problem.U.size), child)
        for level in levels:
            warm = np.append(np.append(theta[:k], level), theta[k + 1 :])
            chain.move(problem.given_theta(warm), 1, adapt=True)
            shown.update()
        found, acceptance[c] = chain.move(problem.given_theta(theta), _THIN * n_draws)
        draws.append(found)
        shown.update()
    spread = scale_reduction(np.array(draws)).reshape(problem.U.shape)
    return (
        problem.inputs(theta, np.concatenate([z[_THIN - 1 :: _THIN] for z in draws])),
        acceptance,
        spread,
    )


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
