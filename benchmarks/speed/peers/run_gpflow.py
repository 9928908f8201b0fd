"""GPflow with TensorFlow's compiled functions; see ``protocol.py``."""

from plain import conditioned
from protocol import serve


def load():
    import gpflow
    import numpy as np
    import tensorflow as tf
    from gpflow.expectations import expectation
    from gpflow.probability_distributions import Gaussian

    def covariance(p):
        return gpflow.kernels.SquaredExponential(float(p["variance"]), p["lengthscales"])

    def compiled(p, batch):
        """Moments at a batch of inputs: w, w w' + B and the training inputs are constants."""
        k, c = covariance(p), float(p["variance"])
        Z = gpflow.inducing_variables.InducingPoints(p["X"])
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
            mean, var, cross = evaluate(u, S)
            return {"mean": mean.numpy()[0], "var": var.numpy()[0], "cross_cov": cross.numpy()[0]}

        return run

    def conditional(p):
        """GPflow's own function `uncertain_conditional`; it factorises K at each call."""
        k = covariance(p)
        Z = gpflow.inducing_variables.InducingPoints(p["X"])
        K = k(p["X"]).numpy()
        noise = float(p["noise_var"])
        shrunk = np.linalg.solve(K + noise * np.eye(len(K)), K)  # (K + s2 I)^-1 K
        q_mu = tf.constant((shrunk.T @ p["y"])[:, None])
        cov = noise * 0.5 * (shrunk + shrunk.T)
        q_sqrt = tf.constant(np.linalg.cholesky(cov + 1e-10 * np.eye(len(K)))[None])
        u, S = tf.constant(p["u"][None]), tf.constant(p["S"][None])

        @tf.function
        def evaluate(u, S):
            return gpflow.conditionals.uncertain_conditional(
                u, S, Z, k, q_mu, q_sqrt, full_output_cov=False, white=False
            )

        def run():
            mean, var = evaluate(u, S)
            return {"mean": mean.numpy()[0, 0], "var": var.numpy()[0, 0]}

        return run

    def forecast(p):
        """All origins together, one step at a time."""
        pasts = p["pasts"]
        b, d = pasts.shape
        horizon, noise = int(p["horizon"]), float(p["noise_var"])
        evaluate = compiled(p, b)

        def run():
            values = np.concatenate([pasts, np.zeros((b, horizon))], axis=1)
            Sigma = np.zeros((b, d + horizon, d + horizon))
            for k in range(d, d + horizon):
                lags = np.arange(k - 1, k - d - 1, -1)
                S = Sigma[:, lags[:, None], lags]
                mean, var, cross = evaluate(tf.constant(values[:, lags]), tf.constant(S))
                values[:, k] = mean.numpy()
                Sigma[:, k, lags] = cross.numpy()
                Sigma[:, lags, k] = cross.numpy()
                Sigma[:, k, k] = var.numpy() + noise
            return {"mean": values[:, d:], "var": np.diagonal(Sigma, axis1=1, axis2=2)[:, d:]}

        return run

    def fit(p):
        def run():
            d = p["X"].shape[1]
            k = gpflow.kernels.SquaredExponential(
                float(p["variance_start"]), np.full(d, float(p["lengthscale_start"]))
            )
            data = (p["X"], p["y"][:, None])
            model = gpflow.models.GPR(data, k, noise_variance=float(p["noise_start"]))
            done = gpflow.optimizers.Scipy().minimize(
                model.training_loss, model.trainable_variables, options={"maxiter": 1000}
            )
            return {
                "reported": float(model.log_marginal_likelihood().numpy()),
                "lengthscales": k.lengthscales.numpy(),
                "variance": float(k.variance.numpy()),
                "noise_var": float(model.likelihood.variance.numpy()),
                "evaluations": done.nfev,
            }

        return run

    return {
        "moments": moments,
        "conditional": conditional,
        "forecast": forecast,
        "backtest": forecast,
        "fit": fit,
        "first": fit,
    }


if __name__ == "__main__":
    serve(load)
