"""A panel that learns: a prior refitted to its own series, by what their last values show."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from panel_cases import THREE, long

import gpforecast as gf
from gpforecast.automatic.learning import Lesson, learned_from, lesson_of
from gpforecast.automatic.prior import FEATURES, Prior, shipped
from gpforecast.panel import pooled, workers
from gpforecast.panel.parts import Parts

H = 6


def lines(m: int, n: int = 40, seed: int = 0) -> dict[str, np.ndarray]:
    """Noise around straight lines: only a line is right."""
    rng, t = np.random.default_rng(seed), np.arange(n)
    return {
        f"s{k}": 50.0 + rng.uniform(0.3, 1.0) * t + 2.0 * rng.standard_normal(n) for k in range(m)
    }


def taught(m: int) -> list[Lesson]:
    return [lesson_of(pd.Series(y), H, shipped()) for y in lines(m).values()]


@pytest.fixture(scope="module")
def many() -> list[Lesson]:
    return taught(20)


def by_line(prior: Prior) -> pd.Series:
    """How much more each candidate weighs than by the shipped prior, in a typical such series."""
    phi = np.mean([one.phi for one in taught(4)], axis=0)
    return pd.Series((prior.B - shipped().B) @ phi, prior.names)


def test_weights_move_to_the_candidate_that_the_series_need_and_forecasts_improve(many):
    prior = learned_from(many, shipped())
    moved = by_line(prior)
    assert moved.idxmax() == "line"
    assert moved["line"] > 0.2
    np.testing.assert_array_equal(prior.width, shipped().width)
    crps = np.zeros(2)
    for y in lines(6, 40 + H, seed=1).values():
        for k, given in enumerate([prior, None]):
            fc = gf.Forecaster(prior=given, noise="process").fit(y[:-H])
            crps[k] += fc.predict(H).distribution.crps(y[-H:]).mean()
    assert crps[0] < 0.98 * crps[1]


def test_few_series_hardly_move_the_prior_and_their_order_does_not_count(many):
    few, all_ = (by_line(learned_from(some, shipped()))["line"] for some in (many[:2], many))
    assert 0.0 < 10 * few < 0.5 < all_
    one, other = (learned_from(some, shipped()) for some in (many, many[::-1]))
    np.testing.assert_array_equal(one.B, other.B)
    assert one.kappa == other.kappa


def test_a_lesson_is_of_the_values_that_were_held_out_and_known():
    y = pd.Series(lines(1)["s0"])
    whole = lesson_of(y, H, shipped())
    later = y.copy()
    later.iloc[-H:] += 5.0
    np.testing.assert_array_equal(lesson_of(later, H, shipped()).crps, whole.crps)
    assert not np.array_equal(lesson_of(later, H, shipped()).a, whole.a)
    np.testing.assert_array_equal(lesson_of(y.reindex(range(42)), H, shipped()).a, whole.a)
    np.testing.assert_allclose(lesson_of(1e6 * y, H, shipped()).a, whole.a, rtol=1e-6)
    high = lesson_of(1e9 + y, H, shipped())  # without logarithms
    closest = [one.size * one.a[one.a > 0.0].min() for one in (high, whole)]
    assert closest[0] == pytest.approx(closest[1], rel=1e-3)
    rng = np.random.default_rng(0)
    ahead = [(rng.standard_normal(4), np.ones(4), False) for _ in range(2)]
    truth, kept = np.array([0.1, np.nan, 0.3, np.nan]), [0, 2]
    found = Lesson.of(np.ones(1), np.ones(2), 4.0, ahead, truth, 1.0)
    alone = [(mean[kept], std[kept], False) for mean, std, _ in ahead]
    expected = Lesson.of(np.ones(1), np.ones(2), 4.0, alone, truth[kept], 1.0)
    np.testing.assert_array_equal(found.D, expected.D)
    np.testing.assert_array_equal(found.a, expected.a)


def test_a_series_without_a_mixture_teaches_nothing():
    total = np.cumsum(np.r_[0.0, np.random.default_rng(0).gamma(0.2, size=60)])
    for y in (np.full(40, 3.0), np.full(40, np.nan), np.sqrt(np.arange(8.0)), total):
        assert lesson_of(pd.Series(y), H, shipped()) is None


QUICK = {"levels": [80], "learn": True, "forecaster": gf.Forecaster(noise="process", support=None)}


@pytest.fixture(scope="module")
def serial() -> gf.PanelForecast:
    return gf.forecast_panel(long(**lines(4)), H, n_jobs=1, **QUICK)


def same(one: gf.PanelForecast, other: gf.PanelForecast) -> None:
    key = ["unique_id", "ds"]
    frames = (panel.frame.sort_values(key).reset_index(drop=True) for panel in (one, other))
    pd.testing.assert_frame_equal(*frames, check_exact=True)
    pd.testing.assert_frame_equal(one.prior.to_frame(), other.prior.to_frame(), check_exact=True)


def test_workers_and_the_order_of_series_give_identical_numbers(serial, monkeypatch):
    monkeypatch.setattr(workers, "_WORTH_WORKERS", 0.0)
    turned = dict(reversed(lines(4).items()))
    same(gf.forecast_panel(long(**turned), H, n_jobs=2, **QUICK), serial)


def test_a_forecaster_takes_what_a_panel_learned_and_keeps_it(serial, tmp_path):
    fc = gf.Forecaster(prior=serial.prior, noise="process", support=None)
    assert fc.get_params()["prior"] is serial.prior
    fc.save(tmp_path / "fc")
    again, y = gf.load(tmp_path / "fc"), pd.Series(lines(1)["s0"])
    mine = serial.frame.query("unique_id == 's0'")["mean"]
    for one in (fc, again):
        np.testing.assert_array_equal(one.fit(y).predict(H).mean, mine)
    table = again.prior.to_frame()
    assert table.columns.tolist() == [*FEATURES, "log crps"]
    assert table.loc["line", "one"] == serial.prior.B[table.index.get_loc("line"), 0]
    assert (table["log crps"] == -serial.prior.kappa).all()
    named = gf.Forecaster(prior=shipped()).fit(y).predict(H)
    np.testing.assert_array_equal(named.mean, gf.Forecaster().fit(y).predict(H).mean)


def test_without_learning_no_prior_is_made_and_no_other_series_counts(serial):
    both = {**QUICK, "learn": False, "n_jobs": 1}
    panel, alone = (gf.forecast_panel(long(**lines(m)), H, **both) for m in (4, 1))
    assert panel.prior is None
    first = panel.frame.query("unique_id == 's0'")
    pd.testing.assert_frame_equal(first, alone.frame, check_exact=True)
    assert not first["mean"].equals(serial.frame.query("unique_id == 's0'")["mean"])


def test_a_stopped_call_goes_on_with_what_it_learned(serial, tmp_path, monkeypatch):
    def stopped(self, position, outcome):
        add(self, position, outcome)
        raise KeyboardInterrupt

    add, frame = Parts.add, long(**lines(4))
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "add", stopped)
        with pytest.raises(KeyboardInterrupt):
            gf.forecast_panel(frame, H, n_jobs=1, resume=tmp_path, **QUICK)
    monkeypatch.setattr(pooled, "lesson_of", None)  # nothing is learned twice
    same(gf.forecast_panel(frame, H, n_jobs=1, resume=tmp_path, **QUICK), serial)
    with pytest.raises(ValueError, match="differs in learn"):
        gf.forecast_panel(frame, H, resume=tmp_path, **{**QUICK, "learn": False})


def test_where_no_series_teaches_anything_a_note_says_so():
    short = THREE.groupby("unique_id").head(2 + H)
    panel = gf.forecast_panel(short, H, n_jobs=1, **QUICK)
    usual = gf.forecast_panel(short, H, n_jobs=1, **{**QUICK, "learn": False})
    pd.testing.assert_frame_equal(panel.frame, usual.frame)
    assert panel.prior is shipped()
    (note,) = panel.notes.loc[panel.notes["unique_id"].isna(), "note"]
    assert note.startswith("learn=True found no series to learn from")


GIVEN = gf.Forecaster(lags=2, transforms="log")
REFUSED = [
    (lambda: gf.forecast_panel(THREE, 2, learn=True, mode="global"),
     r'in mode="local"; got mode="global"\. Leave it out'),
    (lambda: gf.forecast_panel(THREE, 2, learn=True, forecaster=GIVEN),
     "got lags and transforms. Leave them out, or leave learn out"),
    (lambda: gf.Forecaster(prior=shipped().B), r"prior must be a gf\.Prior, such as the \.prior"),
    (lambda: replace(shipped(), names=("level",), B=shipped().B[:1]),
     "names of Prior must hold every candidate"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_learning_and_priors_that_make_no_sense_are_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
