"""What each library is timed on: its functions by name, and the protocol of the timing.

``python runners.py LIBRARY TASK PROBLEM.npz ANSWER.npz`` runs in the environment of the library. It
makes TASK's function from the problem, calls it once to warm up, writes that call's arrays to
ANSWER.npz and prints a line of JSON: the times of import and first call, and the numbers of the
answer. Each line that it reads then makes it run again and print the seconds of a call, so that
several libraries can be timed in turn. It ends at the end of its input. It needs only numpy.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

ENOUGH = 0.02  # seconds; shorter calls are repeated
Task = Callable[[Mapping[str, Any]], Callable[[], dict[str, Any]]]


def at_once(function: Callable[[Mapping[str, Any]], dict[str, Any]], **options: Any) -> Task:
    """Return the task of a function that prepares nothing."""
    return lambda p: lambda: function(p, **options)


def gpforecast() -> dict[str, Task]:
    import numpy as np

    import gpforecast as gf

    def model_of(p):
        covariance = gf.covariances.SquaredExponential(p["lengthscales"], p["variance"])
        return gf.models.GaussianProcess(covariance, noise_var=p["noise_var"], optimizer=None)

    def moments(p):
        posterior = model_of(p).fit(p["X"], p["y"]).posterior_
        u, S = p["u"][None], p["S"][None]

        def run():
            f = posterior.moments(u, S)
            return {"mean": f.mean[0], "var": f.var[0]}

        return run

    def forecasts(p, of_origins):
        step = gf.propagation.ExactMoments(function="step")  # as the others do it
        options = {"model": model_of(p), "max_rows": None, "propagation": step, "noise": "process"}
        fc = gf.Forecaster(lags=len(p["u"]), **options).fit(p["series"])

        def run():
            f = of_origins(fc, p)
            mean, var = (np.atleast_2d(np.asarray(part)) for part in (f.mean, f.var))
            return {"mean": (mean - p["shift"]) / p["scale"], "var": var / p["scale"] ** 2}

        return run

    def one_origin(fc, p):
        return fc.predict(p["horizon"])

    def all_origins(fc, p):
        return gf.backtest(fc, p["whole"], p["horizon"], p["origins"], n_jobs=p["threads"] or None)

    def fit(p):
        gf.models.GaussianProcess(max_iter=2).fit(p["X"][:40], p["y"][:40])

        def run():
            gp = gf.models.GaussianProcess().fit(p["X"], p["y"])
            return {
                "lengthscales": gp.covariance_.lengthscales,
                "variance": gp.covariance_.variance,
                "noise_var": gp.noise_var_,
                "evaluations": gp.report_.n_evaluations,
            }

        return run

    def first(p):
        gf.Forecaster(lags=16).fit(p["series"]).predict(100)
        return {}

    def rvm(p, algorithm):
        model = gf.models.RelevanceVectorMachine(
            p["width"], adapt=None, bias=False, algorithm=algorithm
        ).fit(p["X"], p["y"])
        return {"vectors": len(model.relevant_), "mean": model.predict(p["X_test"])}

    return {
        "moments": moments,
        "forecast": partial(forecasts, of_origins=one_origin),
        "backtest": partial(forecasts, of_origins=all_origins),
        "fit": fit,
        "first": at_once(first),
        **{f"rvm_{name}": at_once(rvm, algorithm=name) for name in ("fast", "subspace", "mackay")},
    }


def numpy() -> dict[str, Task]:
    """Exact moments by NumPy and BLAS."""
    from plain import PlainMoments, one_by_one

    def moments(p, blocks):
        evaluate = PlainMoments(p, blocks)
        return lambda: evaluate(p["u"], p["S"])

    def forecast(p):
        evaluate = PlainMoments(p, blocks=True)
        return lambda: one_by_one(evaluate, p["pasts"], p)

    return {
        "moments": partial(moments, blocks=False),
        "blocked_moments": partial(moments, blocks=True),
        "forecast": forecast,
    }


def arithmetic() -> dict[str, Task]:
    """As many multiply-adds as one call of exact moments needs."""
    from plain import moments_flops, multiply_adds

    return {"moments": lambda p: multiply_adds(moments_flops(*p["X"].shape))}


def scikit_learn() -> dict[str, Task]:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    def fit(p):
        start = ConstantKernel(p["variance_start"]) * RBF(p["lengthscales_start"])
        start += WhiteKernel(p["noise_start"])
        gp = GaussianProcessRegressor(start, alpha=0.0).fit(p["X"], p["y"])
        return {
            "lengthscales": gp.kernel_.k1.k2.length_scale,
            "variance": gp.kernel_.k1.k1.constant_value,
            "noise_var": gp.kernel_.k2.noise_level,
        }

    return {"fit": at_once(fit), "first": at_once(fit)}


def gpy() -> dict[str, Task]:
    import GPy
    import numpy as np

    def fit(p):
        start = {"variance": p["variance_start"], "lengthscale": p["lengthscales_start"]}
        k = GPy.kern.RBF(p["X"].shape[1], ARD=True, **start)
        gp = GPy.models.GPRegression(p["X"], p["y"][:, None], k, noise_var=p["noise_start"])
        gp.optimize("lbfgsb", max_iters=1000)
        return {
            "lengthscales": np.array(gp.kern.lengthscale),
            "variance": float(gp.kern.variance[0]),
            "noise_var": float(gp.likelihood.variance[0]),
        }

    return {"fit": at_once(fit), "first": at_once(fit)}


def gpytorch() -> dict[str, Task]:
    """In double precision, with Cholesky and SciPy's L-BFGS-B.

    torch.optim.LBFGS on the same loss runs into NaNs, or takes several times as many evaluations.
    """
    import gpytorch as gpt
    import numpy as np
    import torch
    from linear_operator.utils.errors import NanError, NotPSDError
    from scipy.optimize import minimize

    class Model(gpt.models.ExactGP):
        def __init__(self, X, y, likelihood):
            super().__init__(X, y, likelihood)
            self.mean_module = gpt.means.ZeroMean()
            rbf = gpt.kernels.RBFKernel(ard_num_dims=X.shape[1])
            self.covar_module = gpt.kernels.ScaleKernel(rbf)

        def forward(self, x):
            return gpt.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def fit(p):
        X, y = torch.from_numpy(p["X"]), torch.from_numpy(p["y"])
        positive = gpt.constraints.GreaterThan(1e-8)
        likelihood = gpt.likelihoods.GaussianLikelihood(noise_constraint=positive)
        model = Model(X, y, likelihood).double()
        k = model.covar_module
        k.base_kernel.lengthscale = torch.from_numpy(p["lengthscales_start"])
        k.outputscale, likelihood.noise = p["variance_start"], p["noise_start"]
        model.train()
        likelihood.train()
        evidence = gpt.mlls.ExactMarginalLogLikelihood(likelihood, model)
        parameters = list(model.parameters())
        count = 0

        def loss(theta):
            nonlocal count
            count += 1
            with torch.no_grad():
                torch.nn.utils.vector_to_parameters(torch.from_numpy(theta), parameters)
            model.zero_grad()
            try:
                value = -len(y) * evidence(model(X), y)
            except (NanError, NotPSDError):
                return np.inf, np.zeros_like(theta)
            value.backward()
            slope = torch.nn.utils.parameters_to_vector([v.grad for v in parameters])
            return value.item(), slope.numpy()

        exact = {"covar_root_decomposition": False, "log_prob": False, "solves": False}
        with gpt.settings.fast_computations(**exact):
            start = torch.nn.utils.parameters_to_vector(parameters).detach().numpy()
            done = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
            loss(done.x)
        return {
            "lengthscales": k.base_kernel.lengthscale.detach().numpy().ravel(),
            "variance": float(k.outputscale.detach()),
            "noise_var": float(likelihood.noise.detach()[0]),
            "evaluations": count,
        }

    return {"fit": at_once(fit), "first": at_once(fit)}


def gpflow() -> dict[str, Task]:
    """With TensorFlow's compiled functions."""
    import gpflow as gpf
    import numpy as np
    import tensorflow as tf
    from gpflow.expectations import expectation
    from gpflow.probability_distributions import Gaussian
    from plain import conditioned, recursion

    def compiled(p, batch):
        """Moments at a batch of inputs: w, w w' + B and the training inputs are constants."""
        k, c = gpf.kernels.SquaredExponential(p["variance"], p["lengthscales"]), p["variance"]
        Z = gpf.inducing_variables.InducingPoints(p["X"])
        weights, inverse = conditioned(p)  # for unit amplitude; GPflow's functions have amplitude c
        w = tf.constant(weights / c)
        W = tf.constant(np.outer(weights, weights) / c**2 - inverse / c**2)
        X, squared = tf.constant(p["X"]), tf.constant(p["lengthscales"] ** 2)
        d = p["X"].shape[1]
        shapes = (tf.TensorSpec((batch, d), tf.float64), tf.TensorSpec((batch, d, d), tf.float64))

        @tf.function(input_signature=shapes)
        def evaluate(u, S):
            x = Gaussian(u, S)
            l_ = expectation(x, (k, Z))
            L = expectation(x, (k, Z), (k, Z))
            mean = tf.linalg.matvec(l_, w)
            var = c + tf.einsum("bij,ij->b", L, W) - mean**2
            pull = tf.einsum("bi,bid->bd", l_ * w, X[None] - u[:, None])
            gradient = tf.linalg.solve(S + tf.linalg.diag(squared), pull[..., None])
            return mean, var, (S @ gradient)[..., 0]

        return evaluate

    def moments(p):
        evaluate = compiled(p, 1)
        u, S = tf.constant(p["u"][None]), tf.constant(p["S"][None])

        def run():
            mean, var, _ = evaluate(u, S)
            return {"mean": mean.numpy()[0], "var": var.numpy()[0]}

        return run

    def conditional(p):
        """GPflow's own function `uncertain_conditional`; it factorises K at each call."""
        k = gpf.kernels.SquaredExponential(p["variance"], p["lengthscales"])
        Z = gpf.inducing_variables.InducingPoints(p["X"])
        K, noise = k(p["X"]).numpy(), p["noise_var"]
        shrunk = np.linalg.solve(K + noise * np.eye(len(K)), K)  # (K + s2 I)^-1 K
        q_mu = tf.constant((shrunk.T @ p["y"])[:, None])
        cov = noise * 0.5 * (shrunk + shrunk.T)
        q_sqrt = tf.constant(np.linalg.cholesky(cov + 1e-10 * np.eye(len(K)))[None])
        u, S = tf.constant(p["u"][None]), tf.constant(p["S"][None])

        @tf.function
        def evaluate(u, S):
            return gpf.conditionals.uncertain_conditional(
                u, S, Z, k, q_mu, q_sqrt, full_output_cov=False, white=False
            )

        def run():
            mean, var = evaluate(u, S)
            return {"mean": mean.numpy()[0, 0], "var": var.numpy()[0, 0]}

        return run

    def forecast(p):
        """All origins together, one step at a time."""
        evaluate = compiled(p, len(p["pasts"]))

        def batch(u, S):
            return [part.numpy() for part in evaluate(tf.constant(u), tf.constant(S))]

        return lambda: recursion(batch, p["pasts"], p)

    def fit(p):
        k = gpf.kernels.SquaredExponential(p["variance_start"], p["lengthscales_start"])
        model = gpf.models.GPR((p["X"], p["y"][:, None]), k, noise_variance=p["noise_start"])
        done = gpf.optimizers.Scipy().minimize(
            model.training_loss, model.trainable_variables, options={"maxiter": 1000}
        )
        return {
            "lengthscales": k.lengthscales.numpy(),
            "variance": float(k.variance.numpy()),
            "noise_var": float(model.likelihood.variance.numpy()),
            "evaluations": done.nfev,
        }

    of_fit = {"fit": at_once(fit), "first": at_once(fit)}
    return {"moments": moments, "conditional": conditional, "forecast": forecast, **of_fit}


def fastrvm() -> dict[str, Task]:
    """In C++, by the algorithm of Tipping and Faul."""
    from fastrvm import RVR

    def rvm(p):
        model = RVR(gamma=0.5 / p["width"] ** 2, fit_intercept=False).fit(p["X"], p["y"])
        return {"vectors": len(model.relevance_vectors_), "mean": model.predict(p["X_test"])}

    return {"rvm": at_once(rvm)}


def sklearn_rvm() -> dict[str, Task]:
    """By MacKay's updates."""
    from sklearn_rvm import EMRVR

    def rvm(p):
        model = EMRVR(gamma=0.5 / p["width"] ** 2, bias_used=False).fit(p["X"], p["y"])
        return {"vectors": len(model.relevance_vectors_), "mean": model.predict(p["X_test"])}

    return {"rvm": at_once(rvm)}


def clocks() -> tuple[float, float]:
    """Return wall-clock time, and the processor time of this process."""
    return time.perf_counter(), time.process_time()


def between(start: tuple[float, float], end: tuple[float, float], calls: int = 1) -> list[float]:
    return [(b - a) / calls for a, b in zip(start, end, strict=True)]


def main() -> None:
    """Run the task named on the command line."""
    library, task, problem, answer = sys.argv[1:]
    # Libraries print and log: keep standard output for JSON and send the rest to standard error.
    with os.fdopen(os.dup(1), "w", buffering=1) as replies:
        os.dup2(2, 1)
        started = clocks()
        tasks = globals()[library.replace("-", "_")]()
        imported = clocks()
        import numpy as np

        with np.load(problem) as file:
            given = {name: a if a.ndim else a.item() for name, a in file.items()}
        run = tasks[task](given)
        prepared = clocks()
        result = run()
        done = clocks()
        np.savez(answer, **{name: np.asarray(value) for name, value in result.items()})
        reply = {
            "import": between(started, imported),
            "ready": between(imported, done),
            "first": between(prepared, done),
            "answer": {name: float(v) for name, v in result.items() if np.ndim(v) == 0},
        }
        print(json.dumps(reply), file=replies)
        for _ in sys.stdin:
            start, calls = clocks(), 0
            while calls == 0 or time.perf_counter() - start[0] < ENOUGH:
                run()
                calls += 1
            print(json.dumps({"seconds": between(start, clocks(), calls)}), file=replies)


if __name__ == "__main__":
    main()
