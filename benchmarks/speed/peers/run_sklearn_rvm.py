"""sklearn-rvm's EMRVR (MacKay's updates); see ``protocol.py``.

It divides basis functions by a scale, so its alphas are multiplied by the square of that scale.
"""

from protocol import serve


def load():
    import numpy as np
    from sklearn_rvm import EMRVR

    def rvm(p):
        def run():
            model = EMRVR(gamma=0.5 / float(p["width"]) ** 2, bias_used=bool(p["bias"]))
            model.fit(p["X"], p["y"])
            mean, std = model.predict(p["X_test"], return_std=True)
            bias = model.bias_used  # the bias is pruned like the others
            return {
                "centers": model.relevance_vectors_,
                "alpha": (model.alpha_[1:] if bias else model.alpha_) * model._scale**2,
                "alpha_bias": model.alpha_[0] if bias else np.nan,
                "noise_var": 1.0 / model.beta_,
                "reported": np.nan,
                "mean": mean,
                "std": std,
            }

        return run

    return {"rvm": rvm}


if __name__ == "__main__":
    serve(load)
