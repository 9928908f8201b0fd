"""What a fitted forecaster is, as text a person can read."""

from dataclasses import fields

import numpy as np

from gpforecast.models import SparseGaussianProcess
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.propagation import MethodLike
from gpforecast.transforms import Chain, Standardise


def summary(fitted: Fitted, propagation: MethodLike) -> str:
    """Return transforms with their reasons, lags, model, rows, noise and notes, line by line.

    Parameters
    ----------
    fitted : Fitted
    propagation : propagation method
        The forecaster's own.
    """
    chain, history, model = fitted.chain, fitted.history, fitted.model
    span = f"{history.index[0]} to {history.index[-1]}" if len(history) else "empty"
    missing = int(history.isna().sum())
    gaps = f", {missing} missing" if missing else ""
    lines = [
        ("series", f"{len(history)} values{gaps}, {span}"),
        ("transforms", " -> ".join(_steps(chain))),
        *(("", reason) for reason in chain.reasons),
        ("lags", ", ".join(map(str, fitted.inputs.lags))),
        *(("", reason) for reason in fitted.lags_reason.splitlines()),
        ("model", repr(model)),
        *(("", reason) for reason in fitted.model_reasons),
        ("rows", str(len(fitted.rows.y))),
    ]
    noise = getattr(model, "noise_var_", None)
    if noise is not None:
        lines.append(("noise", f"standard deviation {_noise(chain, float(noise))}"))
    covariance = getattr(model, "covariance_", None)
    if covariance is not None:
        lines.append(("covariance", " ".join(repr(covariance).split())))
    lines.append(("propagation", str(propagation)))
    lines += [("note", note) for note in fitted.notes]
    return "\n".join(f"{name:<12} {text}".rstrip() for name, text in lines)


def _steps(chain: Chain) -> list[str]:
    """Name the transforms; the last one is always a standardisation."""
    steps = chain.spec.steps
    given = bool(steps) and isinstance(steps[-1], Standardise)
    return [*map(repr, steps), *([] if given else ["Standardise"])]


def _noise(chain: Chain, noise_var: float) -> str:
    unit = {"Log": " of the logarithm", "FittedBoxCox": " of the power"}
    where = "" if chain.warp is None else unit.get(type(chain.warp).__name__, " warped")
    return f"{chain.unit * np.sqrt(noise_var):.4g}{where} a step"


def described(options: Options, fitted: Fitted | None) -> str:
    """Return the call that would make a forecaster, with what differs from the defaults."""
    shown = [
        f"{field.name}={value!r}"
        for field in fields(options)
        for value in [getattr(options, field.name)]
        if field.name == "lags" or repr(value) != repr(field.default)
    ]
    call = f"Forecaster({', '.join(shown)})"
    if options.model is None and fitted and isinstance(fitted.model, SparseGaussianProcess):
        call += f"  # fitted: a SparseGaussianProcess on {len(fitted.rows.y)} rows"
    return call
