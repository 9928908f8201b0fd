"""What must not change the moments: order, shifts, batches, blocks, threads."""

from dataclasses import replace

import numpy as np
import pytest
from posterior_cases import (
    POSTERIORS,
    assert_moments,
    gaussian_inputs,
    one,
    rows,
    se_posterior,
    with_all_parts,
)

import gpforecast.posteriors.extended_linear as module
from gpforecast.posteriors.extended_linear import Posterior


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_permuting_the_inputs_permutes_the_results(method):
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(4, 3)
    order = np.array([2, 0, 1])
    m = posterior.n_basis
    rows_of_added = np.concatenate([np.arange(m), m + order, [m + 3]])
    permuted = replace(
        posterior,
        centers=posterior.centers[:, order],
        lengthscales=posterior.lengthscales[order],
        linear=posterior.linear[order],
        added=posterior.added[rows_of_added],
    )
    f = getattr(posterior, method)(u, S)
    g = getattr(permuted, method)(u[:, order], S[:, order][:, :, order])
    assert_moments(g, f.mean, f.var, f.gradient[:, order], rtol=1e-12)


def test_moments_do_not_change_when_all_inputs_are_shifted():
    X, y = rows(20, 2)
    u, S = gaussian_inputs(4, 2)
    f = se_posterior(X, y, 1.1, 1.0, 1e-2).moments(u, S)
    g = se_posterior(X + 8.0, y, 1.1, 1.0, 1e-2).moments(u + 8.0, S)
    np.testing.assert_allclose(g.mean, f.mean, rtol=1e-10)
    np.testing.assert_allclose(g.var, f.var, rtol=1e-10)


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
@pytest.mark.parametrize(
    "name", ["all parts", "no basis functions", "like a relevance vector machine"]
)
def test_a_batch_equals_its_inputs_one_by_one(method, name):
    posterior = POSTERIORS[name]
    u, S = gaussian_inputs(7, 3)
    S[2] = 0.0  # ranks differ within the batch
    S[3, 1] = S[3, :, 1] = 0.0
    alone = [one(getattr(posterior, method)(u[[i]], S[[i]])) for i in range(len(u))]
    assert_moments(getattr(posterior, method)(u, S), *zip(*alone, strict=True), rtol=1e-13)


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_blocks_of_a_batch_equal_the_whole(method, monkeypatch):
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(11, 3)
    whole = getattr(posterior, method)(u, S)
    sizes = []
    inner = Posterior._moments if method == "moments" else Posterior._taylor

    def counted(self, u, S):
        sizes.append(len(u))
        return inner(self, u, S)

    monkeypatch.setattr(Posterior, inner.__name__, counted)
    monkeypatch.setattr(module, "_BATCH_ELEMENTS", 3 * posterior.n_basis * 5)
    parts = getattr(posterior, method)(u, S)
    assert sizes == [3, 3, 3, 2]
    assert_moments(parts, whole.mean, whole.var, whole.gradient, rtol=1e-13)


@pytest.mark.parametrize("rank", [0, 1, None])
def test_one_input_shared_out_among_threads_has_the_same_moments_to_the_last_bit(rank, monkeypatch):
    posterior = with_all_parts(m=150, d=4)
    u, S = gaussian_inputs(1, 4, rank=rank)
    alone = posterior.moments(u, S)
    monkeypatch.setattr(module, "_WORTH_SHARING", 1)
    for _ in range(20):
        shared = posterior.moments(u, S)
        np.testing.assert_array_equal(shared.mean, alone.mean)
        np.testing.assert_array_equal(shared.var, alone.var)
        np.testing.assert_array_equal(shared.gradient, alone.gradient)
