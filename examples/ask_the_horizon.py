"""
Ask the whole horizon
=====================

A forecast is one joint distribution over its steps. So it gives the distribution of the time when a
level is first passed, and of the largest value. It gives a band for the whole horizon, and the
forecast if some of its values are known. The series here is the sea surface temperature of the
El Nino region.
"""

# %%
# A forecast of two years, from the end of 2007
# ---------------------------------------------

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

series = gf.datasets.load_elnino()
known, later = series.iloc[:-36], series.iloc[-36:-12]
f = gf.Forecaster().fit(known).predict(24)

# %%
# Events
# ------
# Not only how likely each month is to be warmer than 27 degrees, but how likely it is to have
# happened by then.

LEVEL = 27.0
passage = f.first_passage(above=LEVEL)
warmest = f.maximum()
low, high = warmest.interval(0.9)
print(f"by the end the level is passed with probability {passage['by_then'].iloc[-1]:.2f}")
print(f"the warmest month: {warmest.mean:.1f} degrees, 90 % from {low:.1f} to {high:.1f}")

# %%
# What if?
# --------
# If the next March is 1.5 degrees warmer than expected, the forecast of the other months changes
# too.

march = next(time for time in f.index if time.month == 3)
warm = f.given({march: float(f.mean[march]) + 1.5})

fig, axes = plt.subplot_mosaic([["band", "events"], ["what if", "years"]], figsize=(12, 7.5))
fig.set_layout_engine("constrained")

whole = f.band(0.9)
f.plot(ax=axes["band"], levels=(90,), n_history=36, truth=later)
x = axes["band"].lines[1].get_xdata()[-24:]
axes["band"].plot(x, whole, color="C1", lw=1)
axes["band"].set_title("90 % of each month (shaded) and of the whole future (lines)")

alone = f.probability(above=LEVEL)
axes["events"].bar(x, alone, width=np.timedelta64(20, "D"), color="0.75", label="of the month")
axes["events"].step(x, passage["by_then"], where="mid", label="by then")
axes["events"].set(title=f"Above {LEVEL:g} degrees", ylim=(0, 1), ylabel="probability")
axes["events"].legend()

gf.plotting.scenarios({"as it is": f, "a warm March": warm}, ax=axes["what if"], n_history=36)
axes["what if"].set_title("If March is warm")

f.resample("YE").mean().plot(ax=axes["years"], n_history=20)
axes["years"].set_title("Averages of calendar years")
plt.show()
