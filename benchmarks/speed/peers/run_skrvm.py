"""scikit-rvm's RVR (MacKay's updates); see ``protocol.py``."""

from protocol import serve


def load():
    import numpy as np
    from skrvm import RVR

    def rvm(p):
        def run():
            model = RVR(coef1=0.5 / float(p["width"]) ** 2, bias_used=bool(p["bias"]))
            model.fit(p["X"], p["y"])
            mean, var = model.predict(p["X_test"], eval_MSE=True)
            bias = model.bias_used  # the bias is pruned like the others
            return {
                "centers": model.relevance_,
                "alpha": model.alpha_[:-1] if bias else model.alpha_,
                "alpha_bias": model.alpha_[-1] if bias else np.nan,
                "noise_var": 1.0 / model.beta_,
                "reported": np.nan,
                "mean": mean,
                "std": np.sqrt(np.maximum(var, 0.0)),
            }

        return run

    return {"rvm": rvm}


if __name__ == "__main__":
    serve(load)
