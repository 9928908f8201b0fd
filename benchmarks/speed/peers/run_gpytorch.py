"""GPyTorch's ExactGP, in double precision, with Cholesky and SciPy's L-BFGS-B; see ``protocol.py``.

torch.optim.LBFGS on the same loss runs into NaNs, or takes several times as many evaluations.
"""

from protocol import serve


def load():
    import gpytorch
    import numpy as np
    import torch
    from linear_operator.utils.errors import NanError, NotPSDError
    from scipy.optimize import minimize

    class Model(gpytorch.models.ExactGP):
        def __init__(self, X, y, likelihood):
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(
                gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
            )

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    def fit(p):
        X, y = torch.from_numpy(p["X"]), torch.from_numpy(p["y"])

        def run():
            likelihood = gpytorch.likelihoods.GaussianLikelihood(
                noise_constraint=gpytorch.constraints.GreaterThan(1e-8)
            )
            model = Model(X, y, likelihood).double()
            k = model.covar_module
            k.base_kernel.lengthscale = float(p["lengthscale_start"])
            k.outputscale = float(p["variance_start"])
            likelihood.noise = float(p["noise_start"])
            model.train()
            likelihood.train()
            evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
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

            exact = gpytorch.settings.fast_computations(
                covar_root_decomposition=False, log_prob=False, solves=False
            )
            with exact:
                start = torch.nn.utils.parameters_to_vector(parameters).detach().numpy()
                done = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
                loss(done.x)
            return {
                "reported": -float(done.fun),
                "lengthscales": k.base_kernel.lengthscale.detach().numpy().ravel(),
                "variance": float(k.outputscale.detach()),
                "noise_var": float(likelihood.noise.detach()[0]),
                "evaluations": count,
            }

        return run

    return {"fit": fit, "first": fit}


if __name__ == "__main__":
    serve(load)
