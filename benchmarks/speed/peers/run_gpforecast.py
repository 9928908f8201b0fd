"""gpforecast, and the textbook moments in NumPy from its tests; see ``protocol.py``."""

from functools import partial

from protocol import serve


def load():
    import gpforecast as gf

    def model_of(p):
        covariance = gf.covariances.SquaredExponential(p["lengthscales"], float(p["variance"]))
        return gf.models.GaussianProcess(
            covariance, noise_var=float(p["noise_var"]), optimizer=None
        )

    def moments(p):
        posterior = model_of(p).fit(p["X"], p["y"]).posterior_
        u, S = p["u"][None], p["S"][None]

        def run():
            f = posterior.moments(u, S)
            return {"mean": f.mean[0], "var": f.var[0], "cross_cov": p["S"] @ f.gradient[0]}

        return run

    def twin_moments(p):
        evaluate = _twin(p)
        return lambda: evaluate(p["u"], p["S"])

    def twin_forecast(p):
        from plain import forecast_one_by_one

        evaluate = _twin(p)
        return lambda: forecast_one_by_one(evaluate, p["pasts"], p)

    def forecast(p):
        fc = gf.Forecaster(lags=len(p["u"]), model=model_of(p), max_rows=None).fit(p["series"])

        def run():
            f = fc.predict(int(p["horizon"]))
            return {"mean": f.mean.to_numpy(), "var": f.var.to_numpy()}

        return run

    def backtest(p):
        fc = gf.Forecaster(lags=len(p["u"]), model=model_of(p), max_rows=None).fit(p["series"])

        def run():
            result = gf.backtest(
                fc, p["whole"], int(p["horizon"]), p["origins"], n_jobs=int(p["threads"]) or None
            )
            return {"mean": result.mean, "var": result.var}

        return run

    def fit(p):
        gf.models.GaussianProcess(max_iter=2).fit(p["X"][:40], p["y"][:40])

        def run():
            gp = gf.models.GaussianProcess().fit(p["X"], p["y"])
            return {
                "reported": gp.log_marginal_likelihood_,
                "lengthscales": gp.covariance_.lengthscales,
                "variance": gp.covariance_.variance,
                "noise_var": gp.noise_var_,
                "evaluations": gp.report_.n_evaluations,
            }

        return run

    def first(p):
        def run():
            gf.Forecaster(lags=16).fit(p["series"]).predict(100)
            return {}

        return run

    def rvm(p, algorithm, n_passes=10):
        def run():
            model = gf.models.RelevanceVectorMachine(
                float(p["width"]),
                adapt=None,
                bias=bool(p["bias"]),
                algorithm=algorithm,
                n_passes=n_passes,
            ).fit(p["X"], p["y"])
            mean, latent = model.predict(p["X_test"], return_std=True)
            return {
                "centers": model.relevance_vectors_,
                "alpha": model.alpha_,
                "alpha_bias": float("nan") if model.alpha_bias_ is None else model.alpha_bias_,
                "noise_var": model.noise_var_,
                "reported": model.log_marginal_likelihood_,
                "mean": mean,
                "std": (latent**2 + model.noise_var_) ** 0.5,
            }

        return run

    return {
        "moments": moments,
        "twin_moments": twin_moments,
        "forecast": forecast,
        "twin_forecast": twin_forecast,
        "backtest": backtest,
        "fit": fit,
        "first": first,
        **{f"rvm_{name}": partial(rvm, algorithm=name) for name in ("fast", "subspace", "mackay")},
        "rvm_once": partial(rvm, algorithm="subspace", n_passes=1),
        "rvm_free": partial(rvm, algorithm=gf.models.FullEM(initial_precision=1e-9)),
    }


def _twin(p):
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))
    from plain import conditioned
    from twins.moments import extended_linear_moments

    m, d = p["X"].shape
    import numpy as np

    weights, inverse = conditioned(p)
    w, B = np.zeros(m + d + 1), np.zeros((m + d + 1, m + d + 1))
    w[:m], B[:m, :m] = weights, -inverse

    def evaluate(u, S):
        mean, var, cross = extended_linear_moments(
            u, S, p["X"], p["lengthscales"], w, B, float(p["variance"])
        )
        return {"mean": mean, "var": var, "cross_cov": cross}

    return evaluate


if __name__ == "__main__":
    serve(load)
