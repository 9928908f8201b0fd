"""Series to try things on: two generators, and series that statsmodels carries.

Nothing here reads a file of its own or the network, so everything works from an installed wheel.
"""

import math

import numpy as np
import pandas as pd

from gpforecast.common.parameters import NOT_NEGATIVE, POSITIVE
from gpforecast.common.types import ArrayLike, Seed
from gpforecast.common.validation import generator, how_many, one_of
from gpforecast.numerics.compiled.delay import integrate_mackey_glass


def mackey_glass(
    n: int,
    tau: float = 17.0,
    *,
    a: float = 0.2,
    b: float = 0.1,
    exponent: float = 10,
    x0: float = 1.2,
    period: float = 1.0,
    burn_in: float = 1000.0,
    step: float = 0.025,
    normalise: bool = False,
    noise_var: float = 0.0,
    seed: Seed = None,
) -> pd.Series:
    """Simulate the Mackey-Glass equation, the usual chaotic benchmark of forecasting.

    ::

        dz/dt = -b z(t) + a z(t - tau) / (1 + z(t - tau)^exponent),    z(t) = x0 for t <= 0

    Parameters
    ----------
    n : int
        Number of values to return.
    tau : float, default 17.0
        Delay, in time units. With the other defaults the series is chaotic from about 16.8.
    a, b : float, default 0.2 and 0.1
        Rates of production and of decay, per time unit.
    exponent : float, default 10
        Exponent of the production term.
    x0 : float, default 1.2
        The constant value before time 0, in the units of the series. At the fixed point,
        (a/b - 1)^(1/exponent), nothing ever moves.
    period : float, default 1.0
        Time between successive values, in time units.
    burn_in : float, default 1000.0
        Time left out at the start, so that the values lie on the attractor rather than on the way
        to it, in time units: the first value is z(burn_in). With 0 it is x0.
    step : float, default 0.025
        Largest step of the integration (fourth-order Runge-Kutta), in time units; the step taken
        is the largest whole fraction of `tau` not above it.
    normalise : bool, default False
        Whether to shift and scale the n values to mean 0 and variance 1.
    noise_var : float, default 0.0
        Variance of white Gaussian noise, added after the normalisation, in the squared units of
        the values returned.
    seed : int, numpy.random.Generator or None
        Seed of the noise.

    Returns
    -------
    pandas.Series
        n floats named ``"mackey_glass"`` on a RangeIndex; dimensionless.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range, or if `normalise` meets a constant series.

    Notes
    -----
    Chaos multiplies an error by about e every 150 time units. With the defaults, halving the step
    moves the first 200 values by less than 1e-9. After some 5000 time units rounding errors have
    grown to the size of the series: typical still, but another processor may give another path.

    References
    ----------
    Mackey & Glass (1977), "Oscillation and chaos in physiological control systems", Science 197,
    eq. 4b, in the usual scaling with unit threshold.

    Examples
    --------
    >>> from gpforecast.datasets import mackey_glass
    >>> mackey_glass(3, burn_in=0).round(4).tolist()
    [1.2, 1.1176, 1.043]
    """
    n = how_many(n, "n")
    rates = {"tau": tau, "a": a, "b": b, "exponent": exponent}
    for name, value in {**rates, "x0": x0, "period": period, "step": step}.items():
        POSITIVE(value, name)
    for name, value in {"burn_in": burn_in, "noise_var": noise_var}.items():
        NOT_NEGATIVE(value, name)
    rng = generator(seed)
    n_sub = max(1, math.ceil(tau / step - 1e-9))
    if b * tau / n_sub > 1:
        raise ValueError(
            f"step must be at most the decay time 1/b = {1 / b:.3g}, or the integration may be "
            f"unstable; got {step:g}. Pass a smaller step."
        )

    tau, a, b, exponent, x0 = (float(value) for value in (tau, a, b, exponent, x0))
    z = integrate_mackey_glass(n, tau, a, b, exponent, x0, float(burn_in), float(period), n_sub)
    if normalise:
        spread = z.std()
        if not spread > 1e-12 * np.abs(z).max():
            raise ValueError(
                f"normalise must be False for a constant series; got True and {n} equal values. "
                f"Pass more values, another x0 or a longer tau."
            )
        z = (z - z.mean()) / spread
    if noise_var > 0:
        z = z + rng.normal(0.0, math.sqrt(noise_var), n)
    return pd.Series(z, name="mackey_glass")


# Logarithms of January to December over the year's level: a dip after the holidays, a peak before.
_SHOP_YEAR = (-0.16, -0.20, -0.06, 0.0, 0.05, 0.04, -0.06, -0.10, 0.02, 0.05, 0.14, 0.28)


def monthly_sales(n: int = 120, *, seed: Seed = None) -> pd.DataFrame:
    """Simulate the monthly sales of a shop: growth, a yearly season, and promotions.

    The logarithm of the units sold is the sum of a random walk with drift, a season that is the
    same every year, 0.1 in months with a promotion, and noise::

        log y_t = log 1200 + sum_(s <= t) N(0.006, 0.012^2) + season_t + 0.1 promotion_t
                  + N(0, 0.02^2)

    Parameters
    ----------
    n : int, default 120
        Number of months.
    seed : int, numpy.random.Generator or None
        Seed of the random numbers. A short table is the start of a longer one with the same seed.

    Returns
    -------
    pandas.DataFrame
        A column ``units`` with whole numbers and a column ``promotion``, 1.0 in about one month of
        eight and 0.0 in the others, on a monthly PeriodIndex from January 2016.

    Raises
    ------
    TypeError, ValueError
        If `n` is not a positive integer.

    Examples
    --------
    >>> from gpforecast.datasets import monthly_sales
    >>> monthly_sales(3, seed=1)
              units  promotion
    2016-01  1046.0        0.0
    2016-02  1024.0        0.0
    2016-03  1192.0        0.0
    """
    n = how_many(n, "n")
    normal = generator(seed).standard_normal((n, 3))
    promotion = (normal[:, 0] > 1.15).astype(float)
    level = math.log(1200) + np.cumsum(0.006 + 0.012 * normal[:, 1])
    log_units = level + np.resize(_SHOP_YEAR, n) + 0.1 * promotion + 0.02 * normal[:, 2]
    months = pd.period_range("2016-01", periods=n, freq="M")
    return pd.DataFrame({"units": np.rint(np.exp(log_units)), "promotion": promotion}, months)


def load_sunspots() -> pd.Series:
    """Load the yearly sunspot numbers, a skewed cycle of about 11 years.

    Returns
    -------
    pandas.Series
        309 counts named ``"sunspots"``, on a yearly PeriodIndex from 1700 to 2008.

    References
    ----------
    National Geophysical Data Center (NOAA), through ``statsmodels.datasets.sunspots``.

    Examples
    --------
    >>> from gpforecast.datasets import load_sunspots
    >>> float(load_sunspots().loc["1957"])
    190.2
    """
    from statsmodels.datasets import sunspots

    frame = sunspots.load_pandas().data
    return _on_periods(frame["SUNACTIVITY"], "sunspots", f"{frame['YEAR'].iloc[0]:.0f}", "Y")


def load_co2(*, fill: bool = True) -> pd.Series:
    """Load the weekly carbon dioxide record of Mauna Loa: a trend and a yearly cycle.

    Parameters
    ----------
    fill : bool, default True
        Whether the 59 missing weeks, most of them before 1965, are filled by linear interpolation
        in time. If False they are NaN.

    Returns
    -------
    pandas.Series
        2284 concentrations in parts per million by volume, named ``"co2"``, on a DatetimeIndex of
        frequency ``W-SAT`` from 29 March 1958 to 29 December 2001.

    References
    ----------
    Keeling & Whorf (2004), "Atmospheric CO2 concentrations derived from flask air samples at
    sites in the SIO network", through ``statsmodels.datasets.co2``.

    Examples
    --------
    >>> from gpforecast.datasets import load_co2
    >>> float(load_co2().iloc[-1])
    371.5
    >>> int(load_co2(fill=False).isna().sum())
    59
    """
    from statsmodels.datasets import co2

    weekly: pd.Series = co2.load_pandas().data["co2"].astype(float).asfreq("W-SAT")
    weekly.index.name = None
    # Every step of the index is a week, so interpolating by position is interpolating in time.
    return weekly.interpolate() if fill else weekly


def load_nile() -> pd.Series:
    """Load the yearly flow of the Nile at Aswan, whose level drops after 1898.

    Returns
    -------
    pandas.Series
        100 volumes in 1e8 cubic metres, named ``"nile"``, on a yearly PeriodIndex from 1871 to
        1970.

    References
    ----------
    Cobb (1978), "The problem of the Nile: conditional solution to a changepoint problem",
    Biometrika 65, through ``statsmodels.datasets.nile``.

    Examples
    --------
    >>> from gpforecast.datasets import load_nile
    >>> load_nile().head(2).tolist()
    [1120.0, 1160.0]
    """
    from statsmodels.datasets import nile

    frame = nile.load_pandas().data
    return _on_periods(frame["volume"], "nile", f"{frame['year'].iloc[0]:.0f}", "Y")


def load_elnino() -> pd.Series:
    """Load the monthly sea surface temperature off Peru and Ecuador (region Nino 1+2).

    Returns
    -------
    pandas.Series
        732 temperatures in degrees Celsius, named ``"elnino"``, on a monthly PeriodIndex from
        January 1950 to December 2010.

    References
    ----------
    National Weather Service (NOAA), data set ERSST.V3B, through ``statsmodels.datasets.elnino``.

    Examples
    --------
    >>> from gpforecast.datasets import load_elnino
    >>> float(load_elnino().loc["1950-01"])
    23.11
    """
    from statsmodels.datasets import elnino

    table = elnino.load_pandas().data.set_index("YEAR")  # a row to a year, a column to a month
    return _on_periods(table.to_numpy().ravel(), "elnino", f"{table.index[0]:.0f}-01", "M")


def load_macrodata(column: str = "infl") -> pd.Series:
    """Load one quarterly series of the economy of the United States.

    Parameters
    ----------
    column : str, default "infl"
        ``"realgdp"``, ``"realcons"``, ``"realinv"``, ``"realgovt"``, ``"realdpi"``: product,
        consumption, investment, government spending and disposable income, in 1e9 dollars of 2005
        at annual rates; ``"cpi"``: consumer prices, 100 in 1982-84; ``"m1"``: money stock, 1e9
        dollars; ``"tbilrate"``: yield of three-month treasury bills, percent; ``"unemp"``:
        unemployment, percent; ``"pop"``: population, millions; ``"infl"``: inflation,
        400 log(cpi_t / cpi_(t-1)), percent a year; ``"realint"``: tbilrate - infl, percent.
        The first values of ``"infl"`` and ``"realint"`` are 0 for want of an earlier price.

    Returns
    -------
    pandas.Series
        203 values named as the column, on a quarterly PeriodIndex from 1959Q1 to 2009Q3.

    Raises
    ------
    ValueError
        If there is no such column.

    References
    ----------
    Federal Reserve Bank of St. Louis and Bureau of Labor Statistics, through
    ``statsmodels.datasets.macrodata``.

    Examples
    --------
    >>> from gpforecast.datasets import load_macrodata
    >>> float(load_macrodata("unemp").loc["2009Q3"])
    9.6
    """
    from statsmodels.datasets import macrodata

    frame = macrodata.load_pandas().data
    one_of(column, "column", tuple(frame.columns.drop(["year", "quarter"])))
    first = f"{frame['year'].iloc[0]:.0f}Q{frame['quarter'].iloc[0]:.0f}"
    return _on_periods(frame[column], column, first, "Q")


def _on_periods(values: ArrayLike, name: str, first: str, freq: str) -> pd.Series:
    array = np.array(values, dtype=float)
    index = pd.period_range(first, periods=len(array), freq=freq)
    return pd.Series(array, index=index, name=name)
