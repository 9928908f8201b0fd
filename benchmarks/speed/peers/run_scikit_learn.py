"""scikit-learn's GaussianProcessRegressor; see ``protocol.py``."""

from protocol import serve


def load():
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    def fit(p):
        def run():
            d = p["X"].shape[1]
            start = ConstantKernel(float(p["variance_start"])) * RBF(
                np.full(d, float(p["lengthscale_start"]))
            ) + WhiteKernel(float(p["noise_start"]))
            gp = GaussianProcessRegressor(start, alpha=0.0).fit(p["X"], p["y"])
            return {
                "reported": gp.log_marginal_likelihood_value_,
                "lengthscales": gp.kernel_.k1.k2.length_scale,
                "variance": gp.kernel_.k1.k1.constant_value,
                "noise_var": gp.kernel_.k2.noise_level,
            }

        return run

    return {"fit": fit, "first": fit}


if __name__ == "__main__":
    serve(load)
