"""Coherent forecasts of hierarchies: totals that are the sums of their parts, jointly.

Imported when `gpforecast.reconcile` is first used.
"""

from gpforecast.reconciliation.coherent import Reconciled
from gpforecast.reconciliation.forecasts import reconcile
from gpforecast.reconciliation.hierarchy import Hierarchy

__all__ = ["Hierarchy", "Reconciled", "reconcile"]
