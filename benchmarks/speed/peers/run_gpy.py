"""GPy's GPRegression; see ``protocol.py``."""

from protocol import serve


def load():
    import GPy
    import numpy as np

    def fit(p):
        def run():
            d = p["X"].shape[1]
            k = GPy.kern.RBF(
                d,
                variance=float(p["variance_start"]),
                lengthscale=np.full(d, float(p["lengthscale_start"])),
                ARD=True,
            )
            gp = GPy.models.GPRegression(
                p["X"], p["y"][:, None], k, noise_var=float(p["noise_start"])
            )
            gp.optimize("lbfgsb", max_iters=1000)
            return {
                "reported": gp.log_likelihood(),
                "lengthscales": np.array(gp.kern.lengthscale),
                "variance": float(gp.kern.variance[0]),
                "noise_var": float(gp.likelihood.variance[0]),
            }

        return run

    return {"fit": fit, "first": fit}


if __name__ == "__main__":
    serve(load)
