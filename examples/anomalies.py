"""
Anomalies: how surprising each new value is
===========================================

A forecaster learns from the first part of a chaotic series. The values that follow hold two spikes
and a shift of the level. ``surprise`` forecasts each of them from those before and gives its
tail probability. A flagged value counts as missing afterwards, so that its neighbours are not
flagged for it, and the new level is accepted after a few values.
"""

# %%
# A series with anomalies at known places
# ---------------------------------------

import matplotlib.pyplot as plt

import gpforecast as gf

series = gf.datasets.mackey_glass(500, noise_var=4e-4, seed=0)
past, later = series[:300], series[300:].copy()
later[350] += 0.25
later[352] -= 0.25
later.loc[430:] += 0.3

fc = gf.Forecaster(lags=16).fit(past)

# %%
# Judge the new values
# --------------------
# One value in a thousand would be flagged by chance.

found = fc.surprise(later)
print(found)

# %%
# The same by the share of false alarms among what is flagged, at most a tenth on average.

print(fc.surprise(later, false_discovery_rate=0.1).flagged["kind"].value_counts())

# %%
# What the neighbours would look like otherwise
# ---------------------------------------------
# Plain one-step forecasts know the spikes, and each spoils those that have it among their lags.

whole = series.copy()
whole[300:] = later
plain = fc.predict_from(whole, range(300, 500), 1).standardised(later.to_numpy()[:, None])[:, 0]

fig, (upper, lower) = plt.subplots(2, 1, figsize=(9, 6.5), layout="constrained", sharex=True)
found.plot(upper)
upper.set_title("Forecasts that leave out what was flagged, and follow the new level")
frame = found.to_frame()
lower.plot(later.index, abs(plain), color="#d55e00", linewidth=1.0, label="plain forecasts")
robust = (abs(frame["observed"] - frame["mean"]) / frame["std"]).to_numpy()
lower.plot(later.index, robust, color="#0072b2", linewidth=1.2, label="surprise")
lower.axhline(3.29, color="0.4", linestyle=(0, (4, 3)), linewidth=0.9, label="1 in 1000")
lower.set(title="Errors in standard deviations", xlabel="time", yscale="symlog")
lower.legend(frameon=False, ncols=3, loc="upper left")
lower.spines[["top", "right"]].set_visible(False)
plt.show()
