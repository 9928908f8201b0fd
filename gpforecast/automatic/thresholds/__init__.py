"""Every threshold of the automatic choices, each with its unit.

They are conventions, not facts. What forecasts lose without each is in
``benchmarks/accuracy/ablation.csv``, by ``ablation.py``; what loses nothing is removed. All are
used by their names from here.
"""

from gpforecast.automatic.thresholds.inputs import *
from gpforecast.automatic.thresholds.lags import *
from gpforecast.automatic.thresholds.models import *
from gpforecast.automatic.thresholds.seasons import *
from gpforecast.automatic.thresholds.series import *
from gpforecast.automatic.thresholds.trials import *
