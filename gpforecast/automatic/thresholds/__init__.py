"""Every threshold of the automatic choices, each with its unit and the benchmark that set it.

They are conventions, not facts: numbers with which the benchmark named, a script in
``benchmarks/accuracy``, did well and the others no worse. Before and after one is moved, its
benchmark is run. Each is in one of the files of this folder, and all are used by their names from
here.
"""

from gpforecast.automatic.thresholds.inputs import *
from gpforecast.automatic.thresholds.lags import *
from gpforecast.automatic.thresholds.models import *
from gpforecast.automatic.thresholds.seasons import *
from gpforecast.automatic.thresholds.series import *
from gpforecast.automatic.thresholds.trials import *
from gpforecast.automatic.thresholds.warps import *
