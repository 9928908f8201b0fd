"""Taylor's moments against finite differences, and where they meet the exact ones."""

import numpy as np
import pytest
from posterior_cases import POSTERIORS, gaussian_inputs


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("rank", [1, None])
def test_taylor_matches_finite_differences_of_predict(name, rank):
    posterior = POSTERIORS[name]
    d = posterior.n_inputs
    us, Ss = gaussian_inputs(3, d, rank=rank)
    f = posterior.taylor_moments(us, Ss)
    h = 1e-4
    for i, (u, S) in enumerate(zip(us, Ss, strict=True)):
        step = h * np.eye(d)
        ends = posterior.predict(np.concatenate([u + step, u - step])).mean
        gradient = (ends[:d] - ends[d:]) / (2.0 * h)
        # tr(Hessian S) is the sum of second differences along the columns of a root of S.
        values, vectors = np.linalg.eigh(S)
        columns = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        wide = 1e-3
        v = posterior.predict(np.concatenate([[u], u + wide * columns, u - wide * columns])).var
        curvature = (v[1 : d + 1] - 2.0 * v[0] + v[d + 1 :]).sum() / wide**2
        expected = v[0] + 0.5 * curvature
        at_u = posterior.predict(u[None])
        np.testing.assert_allclose(f.mean[i], at_u.mean[0], rtol=1e-12)
        # Differences at 1e-4 and 1e-3: truncation h^2 and rounding 1e-16/h^2 meet near 1e-7, 1e-5.
        np.testing.assert_allclose(f.gradient[i], gradient, rtol=1e-6, atol=1e-7)
        var = max(expected, 0.0) + gradient @ S @ gradient
        np.testing.assert_allclose(f.var[i], var, rtol=1e-5, atol=1e-5 * (1 + np.trace(S)))
