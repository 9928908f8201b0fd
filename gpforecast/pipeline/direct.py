"""Training for direct forecasts: a model for each lead, and how their errors are correlated.

The model of a lead gives the marginal distribution of its step, not the joint one. Transforms are
undone on the joint distribution, and totals and changes over several steps need it. Its
correlations are those of the errors of the leads at the same origins, on rows that were held out.
They are shrunk towards independence, more so the more uncertain they are (`correlations`).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.warnings import on_trial
from gpforecast.models.base import CanBeConditioned, OneStepModel, fit_notes
from gpforecast.pipeline.fitted import Fitted, FurtherLeads
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.rows import TrainingRows
from gpforecast.propagation.base import predictive_of

_FOLDS = 5  # parts of the rows that are held out, one after the other
_FEWEST = 4  # origins from which correlations can be estimated


def with_leads(fitted: Fitted, model: OneStepModel, options: Options) -> Fitted:
    """Return a fit of one step with models of all further leads.

    Each is a copy of the model, trained on the rows of its lead, independently of the others. If
    these are too many, they are those from the origins that were chosen for one step. A
    search that starts from the hyperparameters of the lead before is not faster. On series without
    noise it can end at an optimum where all variation is taken as noise.

    Parameters
    ----------
    fitted : Fitted
    model : one-step model
        Not fitted.
    options : Options
        Of which `max_horizon` is set.

    Raises
    ------
    ValueError
        If the series is too short for the largest lead.
    """
    assert options.max_horizon is not None
    models, rows = [fitted.model], [fitted.rows]
    leads = range(2, options.max_horizon + 1)
    for lead in reversed(leads):  # the largest first: the series may be too short for it
        of_lead = fitted.every_row(lead)
        if options.row_limit is not None and len(of_lead.y) > options.row_limit:
            chosen = np.isin(_origins(of_lead, lead), _origins(fitted.rows, 1))
            of_lead = of_lead.part(np.flatnonzero(chosen))
        rows.insert(1, of_lead)
    with bar("training", total=len(leads), unit="leads") as shown:
        for of_lead in rows[1:]:
            models.append(of_lead.taught(model, options.seed))
            shown.update()
        every = enumerate(zip(models, rows, strict=True), 1)
        errors = [held_out_errors(one, of_lead, lead) for lead, (one, of_lead) in every]
    further = FurtherLeads(tuple(models[1:]), tuple(rows[1:]), correlations(errors))
    notes = (f"{note} (a further step)" for one in models[1:] for note in fit_notes(one))
    return replace(fitted, leads=further).noting(*notes)


def conditioned_leads(fitted: Fitted, first: int, max_rows: int | None) -> FurtherLeads | None:
    """Return the models of further leads, conditioned on the values from a position on as well.

    Correlations stay as they are.
    """
    if fitted.leads is None:
        return None
    models, rows = [], []
    given = zip(fitted.leads.models, fitted.leads.rows, strict=True)
    for lead, (model, known) in enumerate(given, 2):
        rows.append(known.with_newer(fitted.every_row(lead), first, max_rows))
        models.append(rows[-1].conditioned(model))
    return replace(fitted.leads, models=tuple(models), rows=tuple(rows))


def held_out_errors(
    model: OneStepModel, rows: TrainingRows, lead: int
) -> tuple[IntArray, FloatArray]:
    """Return origins (n,) of rows, and errors there over their standard deviations, (n,).

    A fifth of the rows, one stretch of time, is predicted by the model conditioned on the others,
    with its hyperparameters; so for each fifth. A model that cannot be conditioned on so few rows,
    or at all, predicts the rows that it learned from.
    """
    every = np.arange(len(rows.y))
    parts = [(every, predictive_of(model))]
    if isinstance(model, CanBeConditioned) and len(every) >= 2 * _FOLDS:
        rest = [(held, np.delete(every, held)) for held in np.array_split(every, _FOLDS)]
        with on_trial(), suppress(ValueError, np.linalg.LinAlgError):  # of rows it is not used with
            parts = [
                (held, predictive_of(model.condition(rows.X[some], rows.y[some])))
                for held, some in rest
            ]
    errors = []
    for held, predictive in parts:
        at = predictive.predict(rows.X[held])
        std = np.sqrt(at.var + predictive.noise_var)
        off = rows.y[held] - at.mean
        errors.append(np.divide(off, std, out=np.zeros_like(off), where=std > 0.0))
    return _origins(rows, lead), np.concatenate(errors)


def correlations(errors: Sequence[tuple[IntArray, FloatArray]]) -> FloatArray:
    """Return the correlations of errors from the same origin, shrunk towards independence.

    They are those of the errors (around 0) at the n origins that all leads have, by `shrunk`.
    Errors of h steps from neighbouring origins overlap; their variance is therefore taken from the
    averages of stretches that are as long as the largest lead (of halves where there are not two of
    them). With fewer than 4 origins, errors are independent.

    Parameters
    ----------
    errors : sequence of (origins (n,), errors (n,))
        One for each lead.

    Returns
    -------
    ndarray (leads, leads)
    """
    n_leads, common = len(errors), errors[0][0]
    for origins, _ in errors[1:]:
        common = np.intersect1d(common, origins)
    n, off_diagonal = len(common), ~np.eye(n_leads, dtype=bool)
    if n_leads == 1 or n < _FEWEST:
        return np.eye(n_leads)
    Z = np.stack([z[np.searchsorted(origins, common)] for origins, z in errors], axis=1)
    size = np.sqrt((Z**2).mean(axis=0))
    Z = np.divide(Z, size, out=np.zeros_like(Z), where=size > 0.0)
    n_parts = max(2, n // n_leads)
    parts = np.array([part.T @ part / len(part) for part in np.array_split(Z, n_parts)])
    var = parts.var(axis=0, ddof=1) / n_parts
    return shrunk(Z.T @ Z / n, var, off_diagonal, n)[0]


def shrunk(r: FloatArray, var: FloatArray, used: BoolArray, n: int) -> tuple[FloatArray, float]:
    r"""Return correlations shrunk towards independence, and the weight of that.

    .. math::

        R = (1 - \lambda) r + \lambda I, \qquad
        \lambda = \frac{\sum_{i \ne j} \operatorname{var}(r_{ij})}{\sum_{i \ne j} r_{ij}^2},

    between 1 / (n + 1) and 1.

    Parameters
    ----------
    r, var : ndarray (k, k)
        Correlations and their variances.
    used : ndarray of bool (k, k)
        Which of those off the diagonal count; the others are 0.
    n : int
        Of how many errors they are.

    References
    ----------
    Schaefer and Strimmer (2005), "A shrinkage approach to large-scale covariance matrix
    estimation", Statistical Applications in Genetics and Molecular Biology 4, table 1, target D
    for correlations.
    """
    squares = float((r**2)[used].sum())
    share = float(var[used].sum()) / squares if squares > 0.0 else 1.0
    share = float(np.clip(share, 1.0 / (n + 1), 1.0))
    return np.where(used, (1.0 - share) * r, np.eye(len(r))), share


def _origins(rows: TrainingRows, lead: int) -> IntArray:
    """Return the position of the origin of each row."""
    return rows.places - lead + 1
