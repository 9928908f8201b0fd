"""Write mackey_glass.csv, beside this script: `python data/make_mackey_glass.py`."""

from pathlib import Path

from gpforecast.datasets import mackey_glass

series = mackey_glass(2000, normalise=True, noise_var=1e-3, seed=0)
series.rename("value").to_csv(
    Path(__file__).with_name("mackey_glass.csv"),
    index_label="time",
    float_format="%.6f",
    lineterminator="\n",
)
