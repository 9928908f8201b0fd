"""Scores of classes beside scikit-learn, sums over classes written out, and their properties."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from gpforecast import scores

RNG = np.random.default_rng(0)
N, C = 40, 4
P = RNG.dirichlet(np.ones(C), N)
Y = RNG.integers(0, C, N)
EVENT = RNG.integers(0, 2, N)
Q = np.round(RNG.uniform(size=N), 1)  # with ties
SCORES = (scores.log_score, scores.brier, scores.ranked_probability)


def test_the_log_score_is_that_of_scikit_learn():
    assert scores.log_score(Y, P) == pytest.approx(metrics.log_loss(Y, P), rel=1e-12)


def test_brier_of_an_event_is_twice_that_of_scikit_learn():
    both = np.column_stack([1 - Q, Q])
    half = metrics.brier_score_loss(EVENT, Q)
    assert scores.brier(EVENT, both) == pytest.approx(2 * half, rel=1e-12)
    assert scores.ranked_probability(EVENT, both) == pytest.approx(half, rel=1e-12)


def test_scores_are_their_sums_written_out():
    brier = ranked = 0.0
    for y, p in zip(Y, P, strict=True):
        brier += sum((p[c] - (y == c)) ** 2 for c in range(C)) / N
        ranked += sum((sum(p[: c + 1]) - (y <= c)) ** 2 for c in range(C)) / N
    assert scores.brier(Y, P) == pytest.approx(brier, rel=1e-12)
    assert scores.ranked_probability(Y, P) == pytest.approx(ranked, rel=1e-12)


def test_the_ranked_score_is_the_crps_of_the_class_as_a_number():
    """E |c - y| - E |c - c'| / 2 for independent c and c' of the forecast."""
    places = np.arange(C)
    off = (P * np.abs(places - Y[:, None])).sum(axis=1)
    spread = np.einsum("nc,nd,cd->n", P, P, np.abs(np.subtract.outer(places, places)))
    found = scores.ranked_probability(Y, P, axis=())
    np.testing.assert_allclose(found, off - spread / 2, rtol=1e-10)


@pytest.mark.parametrize("score", SCORES)
def test_the_true_probabilities_have_the_best_expected_score(score):
    true = np.array([0.5, 0.3, 0.2])

    def expected(p):
        return sum(true[c] * score([c], [p]) for c in range(3))

    for other in RNG.dirichlet(np.ones(3), 50):
        assert expected(true) <= expected(other)


def test_auc_is_that_of_scikit_learn_with_ties_and_keeps_under_distortion():
    assert scores.auc(EVENT, Q) == pytest.approx(metrics.roc_auc_score(EVENT, Q), rel=1e-12)
    assert scores.auc(EVENT, Q**3) == scores.auc(EVENT, Q)
    assert scores.auc(EVENT, -Q) == pytest.approx(1 - scores.auc(EVENT, Q))


def test_reliability_finds_frequencies_of_right_probabilities_and_of_wrong_ones():
    p = RNG.uniform(size=20_000)
    came = RNG.uniform(size=20_000) < p
    right = scores.reliability(came, p)
    assert right["count"].sum() == 20_000
    assert (np.abs(right["frequency"] - right["probability"]) < 5 * right["std"]).all()
    assert right.index.is_non_overlapping_monotonic
    bold = scores.reliability(came, np.where(p > 0.5, 0.95, 0.05))
    assert len(bold) == 2
    assert (np.abs(bold["frequency"] - [0.25, 0.75]) < 0.03).all()


def test_reliability_puts_ends_and_edges_into_bins():
    found = scores.reliability([0, 0, 1, 1], [0.0, 0.5, 0.5, 1.0], n_bins=4)
    np.testing.assert_array_equal(found["count"], [1, 2, 1])
    assert [0.5 in interval for interval in found.index] == [False, True, False]


@pytest.mark.parametrize("score", SCORES)
def test_axes_labels_and_missing_values(score):
    y, p = Y.reshape(8, 5), P.reshape(8, 5, C)
    curve = score(y, p, axis=0)
    assert curve.shape == (5,)
    assert curve.mean() == pytest.approx(score(Y, P), rel=1e-12)
    names = ["calm", "fresh", "gale", "storm"]
    text = np.array(names)[Y]
    assert score(text, P, classes=names) == score(Y, P)
    index = pd.period_range("2000", periods=N, freq="M")
    states = pd.Series(pd.Categorical(text, categories=names, ordered=True), index=index)
    assert score(states, pd.DataFrame(P, index=index), classes=names) == score(Y, P)
    missing = score(np.where(np.arange(N) == 3, np.nan, Y), P, axis=())
    np.testing.assert_array_equal(np.isnan(missing), np.arange(N) == 3)
    assert np.isnan(score(states.where(Y > 0), P, classes=names))


def test_what_was_impossible_costs_infinitely_much():
    assert scores.log_score([0], [[0.0, 1.0]]) == np.inf
    assert np.isnan(scores.auc([0, 1, np.nan], [0.1, 0.2, 0.3]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scores.brier([0, 1], [0.1, 0.9]), r"got \(2,\) for \(2,\). For an event, stack"),
        (lambda: scores.brier([0, 2], np.full((2, 2), 0.5)), "0 to 1; got 2. Pass labels"),
        (lambda: scores.brier([0], [[0.7, 0.7]]), "of sum 1; got the least 0.7, and sums off by"),
        (lambda: scores.log_score(["x"], [[0.5, 0.5]], classes="ab"), "'x', which is none of"),
        (lambda: scores.auc([1, 1], [0.1, 0.2]), "got 2 and 0. Without both"),
        (lambda: scores.reliability([0, 1], [0.5, 50.0]), "from 0 to 1; got 50"),
        (lambda: scores.reliability([0, 1], [0.5, 0.5], n_bins=0), "n_bins must be a positive"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
