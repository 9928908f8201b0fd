"""How surprising values are: tail probabilities, false alarms, and what is printed of them."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, exog_forecaster, fixed
from scipy.stats import kstest, norm
from series_cases import autoregression

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.propagation import MonteCarlo

# How surprising values are: tail probabilities, false alarms, and what follows an anomaly


PHI = 0.7


def ar(n=600, seed=0, phi=PHI):
    days = pd.date_range("2020-01-01", periods=n, freq="D")
    return pd.Series(autoregression(n, phi, seed=seed), days, name="y")


def linear(past, exog=None, **options):
    options = {"transforms": None, "support": None, "combine": None, "noise": "process", **options}
    return gf.Forecaster(1, model=LinearAR(), outliers=None, **options).fit(past, exog)


def split(y, n=300):
    return y.iloc[:n], y.iloc[n:].copy()


@pytest.fixture(scope="module")
def fitted():
    return linear(ar().iloc[:300])


@pytest.fixture
def later():
    return ar().iloc[300:].copy()


def test_an_unknown_tail_probability_is_not_flagged(fitted, later, monkeypatch):
    monkeypatch.setattr("gpforecast.pipeline.monitor.Tails.probability", lambda *_: np.nan)
    assert not fitted.surprise(later[:20]).table["flagged"].any()


@pytest.mark.parametrize("horizon", [1, 3])
def test_tail_probabilities_are_those_of_the_fitted_autoregression(fitted, later, horizon):
    """Mean and variance by the coefficients alone; those of a prediction's weights are left out."""
    y = ar().to_numpy()
    step = fitted.predict_from(y, [300], 2).mean[0]
    unit = fitted.predict_from(y + 0.0, [301], 1).mean[0, 0]
    phi = (unit - step[0]) / (y[300] - y[299])  # a line through two one-step predictions
    constant = step[0] - phi * y[299]
    found = fitted.surprise(later, horizon=horizon, false_alarms=1e-9).to_frame()
    noise = fitted.fitted_.chain.unit**2 * fitted.model_.noise_var_
    var = noise * sum(phi ** (2 * k) for k in range(horizon))
    known = y[300 - horizon : 600 - horizon]
    mean = phi**horizon * known + constant * sum(phi**k for k in range(horizon))
    np.testing.assert_allclose(found["mean"], mean, rtol=1e-9, atol=1e-9)
    z = (y[300:] - mean) / found["std"]
    np.testing.assert_allclose(found["std"], np.sqrt(var), rtol=0.03)  # weights are uncertain
    np.testing.assert_allclose(found["tail_probability"], 2 * norm.sf(abs(z)), rtol=1e-9)
    np.testing.assert_allclose(found["pit"], norm.cdf(z), rtol=1e-9)
    np.testing.assert_allclose(found["surprise"], -np.log(2 * norm.sf(abs(z))), rtol=1e-9)


def test_ordinary_values_have_uniform_pit_and_the_promised_rate_of_false_alarms():
    rate, frames = 0.02, []
    for seed in range(2):
        past, later = split(ar(3000, seed=10 + seed), 1000)
        frames.append(linear(past).surprise(later, false_alarms=rate).to_frame())
    every = pd.concat(frames)
    # Of 4,000 values: the 5 % limit is 0.012; the coefficients are those of 1000 values.
    assert kstest(every["pit"], "uniform").statistic < 0.035
    expected, spread = rate * len(every), np.sqrt(rate * len(every))
    assert abs(every["flagged"].sum() - expected) < 5 * spread


def test_a_value_after_forecasts_without_a_width_is_flagged():
    found = gf.Forecaster(support="count").fit(np.zeros(40)).surprise([0.0, 5.0, 0.0])
    assert found.flagged["observed"].tolist() == [5.0]
    assert [*found.flagged] == ["observed", "mean", "std", "tail_probability", "kind"]


def test_a_spike_is_flagged_and_its_neighbours_are_not(fitted, later):
    later.iloc[100] += 8
    found = fitted.surprise(later)
    around = found.to_frame().iloc[95:110]
    assert around["flagged"].to_numpy().nonzero()[0].tolist() == [5]
    assert around["kind"].iloc[5] == "spike"
    # Were it known to the forecast after it, that value would be flagged, too.
    y = pd.concat([ar().iloc[:300], later])
    (naive,) = fitted.predict_from(y, [401], 1).standardised(y.iloc[[401]].to_numpy()[None])[0]
    assert abs(naive) > 3.3
    assert found.to_frame()["tail_probability"].iloc[101] > 0.001


def test_a_level_shift_is_accepted_and_what_follows_is_judged_from_the_new_level(fitted, later):
    later.iloc[150:] += 8
    frame = fitted.surprise(later).to_frame()
    assert (frame["kind"].iloc[150:154] == "level shift").all()
    assert frame["flagged"].iloc[154:].sum() <= 2
    error = (frame["observed"] - frame["mean"]).iloc[160:]
    assert abs(error.mean()) < 0.5  # the old level would be 2.4 off, 8 (1 - PHI)
    assert error.std() < 1.2


def test_a_lasting_change_of_spread_is_accepted_and_forgotten_when_it_is_over(fitted):
    y = autoregression(400, PHI, seed=4, size=np.repeat([1.0, 6.0, 1.0, 1.0], 100))
    frame = fitted.surprise(y).to_frame()
    assert "variance" in set(frame["kind"].iloc[100:140])
    assert frame["flagged"].iloc[120:200].mean() < 0.1
    assert frame["std"].iloc[120:200].median() > 3.0
    whole = np.concatenate([ar().to_numpy()[:300], y])
    plain = fitted.predict_from(whole, range(620, 700), 1)
    np.testing.assert_allclose(frame["std"].iloc[320:], np.sqrt(plain.var[:, 0]), rtol=1e-9)
    np.testing.assert_allclose(frame["mean"].iloc[320:], plain.mean[:, 0], rtol=1e-9)


def spread_changed(seed, n=420, at=300, factor=6.0):
    """Return what is found after the noise of an autoregression has become wider for good."""
    size = np.where(np.arange(n) < at, 1.0, factor)
    y = pd.Series(autoregression(n, 0.5, seed=seed, size=size))
    fc = gf.Forecaster(lags=2, transforms=None, model=LinearAR()).fit(y.iloc[:250])
    return fc.surprise(y.iloc[250:]).to_frame()


def test_pit_knows_of_a_change_of_spread_as_tail_probabilities_do():
    every = spread_changed(0).iloc[80:]
    # 1 % is expected, and some more, as the spread is followed and not known.
    assert (~every["pit"].between(0.005, 0.995)).mean() < 0.03
    two_sided = 2.0 * np.minimum(every["pit"], 1.0 - every["pit"])
    np.testing.assert_allclose(two_sided, every["tail_probability"], rtol=1e-6)


def test_gaps_are_forecast_through_and_not_judged(fitted, later):
    later.iloc[[10, 11, 12, 60]] = np.nan
    later.iloc[100] += 8
    frame = fitted.surprise(later).to_frame()
    assert frame["tail_probability"].isna().to_numpy().nonzero()[0].tolist() == [10, 11, 12, 60]
    assert frame["std"].iloc[13] > 1.3 * frame["std"].iloc[9]
    assert frame["flagged"].iloc[100]


def test_the_fitted_series_is_judged_with_a_word_on_that():
    y = ar()
    y.iloc[200] += 10
    found = linear(y).surprise()
    assert y.index[200] in found.flagged.index
    assert "has learned from" in repr(found)
    assert len(found.table) == 599


def test_a_whole_series_of_its_own_is_judged_from_its_first_lags(fitted):
    other = ar(200, seed=9).to_numpy().copy()
    other[50] -= 9
    found = fitted.surprise(other, continues=False)
    assert len(found.table) == 199
    assert found.flagged.index.tolist() == [fitted.history_.index[50]]


def test_batches_of_origins_give_what_one_by_one_gives(fitted, later, monkeypatch):
    later.iloc[[100, 103]] += 8
    later.iloc[150:] += 8
    at_once = fitted.surprise(later).to_frame()
    monkeypatch.setattr("gpforecast.pipeline.monitor._BATCH", 1)
    one_by_one = fitted.surprise(later).to_frame()
    pd.testing.assert_frame_equal(at_once, one_by_one, rtol=1e-10)


def test_the_learned_width_of_an_ensemble_is_left_out():
    """It stands for changes that the past does not show, which are what is looked for."""
    rng = np.random.default_rng(5)
    fc = gf.Forecaster().fit(np.cumsum(0.3 * rng.standard_normal(80)) + rng.standard_normal(80))
    ensemble = fc.fitted_.ensemble
    ahead = fc.predict(1).distribution
    value = ahead.mean[0] + 6 * ahead.var[0] ** 0.5
    factor = ensemble.factors(1)[0]
    above = sum(
        w * norm.sf(value, d.mean[0], d.var[0] ** 0.5 / factor)
        for w, d in zip(ahead.weights, ahead.parts, strict=True)
    )
    p = fc.surprise([value]).to_frame()["tail_probability"].item()
    np.testing.assert_allclose(p, 2 * above, rtol=1e-9)


def test_inputs_and_transforms_and_seasons_take_part():
    y, u = driven()
    fc, _ = exog_forecaster()
    y = y.copy()
    y.iloc[130] += 3
    found = fc.surprise(y.iloc[100:], exog=u.iloc[100:])
    assert y.index[130] in found.flagged.index
    assert len(found.flagged) <= 2
    t = np.arange(180)
    noise = 0.05 * np.random.default_rng(0).standard_normal(180)
    sales = pd.Series(np.exp(3 + 0.01 * t + 0.3 * np.sin(t * np.pi / 6) + noise))
    log = gf.Forecaster(
        [1, 12], model=fixed(), transforms=[gf.transforms.Log(), gf.transforms.Difference()]
    ).fit(sales[:140])
    later = sales[140:].copy()
    later.loc[160] *= 3
    found = log.surprise(later)
    assert 160 in found.flagged.index
    assert found.to_frame()["std"].loc[161:].notna().all()
    impossible = sales[140:].copy()
    impossible.loc[150] = -1.0  # has no logarithm
    assert 150 in log.surprise(impossible).flagged.index


def test_paths_direct_forecasts_and_measurement_noise_are_judged():
    y = gf.datasets.mackey_glass(260, noise_var=1e-4, seed=0)
    past, later = y.iloc[:200], y.iloc[200:].copy()
    later.iloc[30] += 0.6
    for options in (
        {"propagation": MonteCarlo(n_paths=300, seed=0)},
        {"strategy": "direct", "max_horizon": 2},
        {"noise": "measurement"},
    ):
        fc = gf.Forecaster(6, transforms=None, combine=None, **options).fit(past)
        found = fc.surprise(later, horizon=2)
        assert later.index[30] == found.ranking(1).index[0], options
        assert found.flagged.shape[0] <= 4, options


REFUSED = [
    ({"false_alarms": 0.01, "false_discovery_rate": 0.1}, "two ways to say .*; give one"),
    ({"false_alarms": 5}, "false_alarms must be a probability"),
    ({"false_discovery_rate": 0.0}, "false_discovery_rate must be a probability"),
    ({"patience": 1}, "patience must be"),
    ({"horizon": 0}, "horizon must be a positive integer"),
    ({"series": ar().shift(freq="1h").iloc[300:]}, "must continue the history at 2020-10-27"),
    ({"series": ar().iloc[:300]}, "^series must continue .* Pass only values after"),
    ({"series": ar().iloc[300:].shift(9, freq="h")}, "^series must continue .* Pass only values"),
    ({"series": []}, "^series must hold at least one value"),
    ({"series": ar() * np.nan, "continues": False}, "all 600 are missing"),
    ({"series": [1.0], "continues": False}, "at least one value with enough known values"),
    ({"series": None, "exog": ar()}, "exog belongs to a series"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(fitted, later, options, message):
    with pytest.raises(ValueError, match=message):
        fitted.surprise(**{"series": later} | options)


@pytest.mark.parametrize("continues", [True, False])
def test_values_are_judged_with_the_effects_of_their_own_inputs(continues):
    rng = np.random.default_rng(0)
    u = pd.Series((rng.uniform(size=160) < 0.3).astype(float), name="promotion")
    y = pd.Series(np.cumsum(rng.standard_normal(160)) + 8.0 * u)
    steps = [gf.transforms.InputEffects(), gf.transforms.Difference()]
    fc = linear(y[:120], transforms=steps, exog=u[:120])
    begin = 120 if continues else 0
    found = fc.surprise(y[begin:], exog=u[begin:], continues=continues).to_frame().iloc[-40:]
    each = fc.predict_from(y, np.arange(120, 160), 1, exog=u)
    np.testing.assert_allclose(found["mean"], each.mean[:, 0], rtol=1e-9)
    np.testing.assert_allclose(found["std"], np.sqrt(each.var[:, 0]), rtol=1e-9)
    assert not found["flagged"].any()


# What `surprise` prints, and says of a series that it cannot judge


NOISE = pd.Series(
    np.random.default_rng(0).standard_normal(300),
    index=pd.date_range("2020-01-01", periods=300, freq="D"),
)


@pytest.fixture(scope="module")
def known():
    return gf.Forecaster(1, model=LinearAR(), transforms=None, noise="process").fit(
        NOISE.iloc[:200]
    )


def test_every_column_is_printed_however_narrow_the_terminal_and_rounded(known):
    later = NOISE.iloc[200:].copy()
    later.iloc[[20, 60]] += [9000.0, -12.0]
    found = known.surprise(later)
    with pd.option_context("display.width", 40, "display.max_columns", 2):
        said = repr(found)
    assert "..." not in said
    (row,) = (line for line in said.splitlines() if line.startswith(f"{later.index[20].date()}"))
    printed = [float(cell.replace(",", "")) for cell in row.split()[1:4]]
    one = found.table.loc[later.index[20], ["observed", "mean", "std"]]
    np.testing.assert_allclose(printed, one.astype(float), atol=0.1)
    assert max(len(line) for line in said.splitlines()[1:4]) < 80
    assert row.split()[5] == "spike"
    for name in ("observed", "mean", "std", "tail_probability", "kind"):
        assert f"<th>{name}</th>" in found._repr_html_()


def test_values_of_which_none_came_are_none_judged(known):
    """So that an alarm goes on when a reading is missing, as `update` does."""
    for n in (1, 3):
        found = known.surprise(NOISE.iloc[200 : 200 + n] * np.nan, false_discovery_rate=0.1)
        assert len(found.table) == n
        assert found.ranking().empty
        assert not found.table["flagged"].any()
        assert repr(found).startswith("Surprise of 0 values, 1 step ahead: 0 flagged, for a tail")
        assert found.notes[0].startswith(f"{n} of {n} new value")
        found.plot()
    with pytest.raises(ValueError, match="enough known values before it, 301; got 200 known of 2"):
        known.surprise(NOISE.iloc[200:201] * np.nan, horizon=301)


def test_values_whose_inputs_did_not_come_are_not_judged_and_counted():
    u = pd.Series(np.random.default_rng(1).standard_normal(300), index=NOISE.index)
    options = {"transforms": None, "noise": "process", "combine": None}
    fc = gf.Forecaster(1, model=LinearAR(), **options).fit(NOISE.iloc[:200], u.iloc[:200])
    later = u.iloc[200:205].copy()
    later.iloc[[1, 3]] = np.nan
    found = fc.surprise(NOISE.iloc[200:205], exog=later)
    assert found.table["tail_probability"].isna().tolist() == [False, True, False, True, False]
    said = "not judged, as an input is missing, or too little is known before: {} values"
    assert found.notes[-1] == said.format(2)
    none = fc.surprise(NOISE.iloc[200:201], exog=later.iloc[:1] * np.nan)
    assert none.ranking().empty
    on_the_way = fc.surprise(NOISE.iloc[200:205], exog=later, horizon=2)
    assert on_the_way.notes[-1] == said.format(4)
