"""
A series in, a web page out
===========================

``gpforecast.report`` fits, forecasts and backtests a series and writes one HTML file that needs no
network. It holds the forecast and its paths, the settings with their reasons, and a backtest. The
command line does the same: ``gpforecast report FILE.csv --value COLUMN --time COLUMN --horizon
24``.
"""

# %%
# Make the page
# -------------

import base64
import io
import re
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import gpforecast as gf

QUICK = "--quick" in sys.argv
series = gf.datasets.load_elnino()
title = "Sea-surface temperature off Peru"
page = gf.report(series, horizon=24, title=title, origins=15 if QUICK else 50)
print(page.forecaster.summary())

path = Path(tempfile.mkdtemp(), "report.html")
page.save(path)
print(f"{len(page.html) / 1e6:.1f} MB, one file")

# %%
# Its pictures
# ------------
# The pictures are embedded in the page. Here they are extracted again.

sources = re.findall(r'src="data:image/png;base64,([^"]+)" alt="([^"]*)"', page.html)
images = [(plt.imread(io.BytesIO(base64.b64decode(data))), alt) for data, alt in sources]
fig = plt.figure(figsize=(11, 10), layout="constrained")
axes = fig.subplot_mosaic("AAABBB\nCCCDDD\nEEEFFF")
for ax, (image, alt) in zip(axes.values(), images, strict=True):
    ax.imshow(image)
    ax.set_title(alt, fontsize=9)
    ax.set_axis_off()
plt.show()
