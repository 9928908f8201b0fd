"""fastrvm's RVR (C++, Tipping and Faul's algorithm); see ``protocol.py``.

It divides basis functions by their norm s over the training rows, and returns the alpha of these
divided by s^2. For basis functions without that scaling, alpha must be multiplied by s^2: only then
does it agree with the weights and the covariance that it returns.
"""

from protocol import serve


def load():
    import numpy as np
    from fastrvm import RVR, _rvr

    core = _rvr._sparsebayes_bindings
    kept = {}

    class Recorded(core.SparseBayes):
        """Keep what the core returned, because the class drops the alpha of the bias."""

        def inference(self, basis, targets):
            kept.update(super().inference(basis, targets), basis=basis)
            return kept

    # Only what RVR looks up by name is replaced; the work is the core's own.
    class Bindings:
        SparseBayes = Recorded
        Likelihood = core.Likelihood

    _rvr._sparsebayes_bindings = Bindings

    def rvm(p):
        bias = bool(p["bias"])

        def run():
            model = RVR(gamma=0.5 / float(p["width"]) ** 2, fit_intercept=bias).fit(p["X"], p["y"])
            mean, std = model.predict(p["X_test"], return_std=True)
            squared_norms = (kept["basis"][:, model.relevance_] ** 2).sum(axis=0)
            bias_alpha = np.ravel(kept["alpha"])[-1] * len(p["y"]) ** 2
            return {
                "centers": model.relevance_vectors_,
                "alpha": model.alpha_.ravel() * squared_norms**2,
                "alpha_bias": bias_alpha if bias else np.nan,
                "noise_var": 1.0 / model.beta_,
                "reported": model.scores_[-1],
                "mean": mean,
                "std": std,
            }

        return run

    return {"rvm": rvm}


if __name__ == "__main__":
    serve(load)
