"""What a fitted forecaster is, as text a person can read."""

from dataclasses import fields

from gpforecast.models import SparseGaussianProcess
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.propagation import MethodLike

_UNITS = {"Log": " of the logarithm", "FittedBoxCox": " of the power"}


def summary(fitted: Fitted, propagation: MethodLike) -> str:
    """Return transforms with their reasons, lags, model, rows, noise and notes, line by line.

    Parameters
    ----------
    fitted : Fitted
    propagation : propagation method
        The forecaster's own.
    """
    chain, history, model = fitted.chain, fitted.history, fitted.model
    missing = int(history.isna().sum())
    gaps = f", {missing} missing" if missing else ""
    steps = [repr(step) for step in chain.spec.steps]
    if chain.linear[-1] not in chain.spec.steps:
        steps.append("Standardise")  # which is always done last
    lines = [
        ("series", f"{len(history)} values{gaps}, {history.index[0]} to {history.index[-1]}"),
        ("transforms", " -> ".join(steps)),
        *(("", reason) for reason in chain.reasons),
        ("lags", ", ".join(map(str, fitted.inputs.lags))),
        *(("", reason) for reason in fitted.lags_reason.splitlines()),
        ("model", repr(model)),
        *(("", reason) for reason in fitted.model_reasons),
        ("rows", str(len(fitted.rows.y))),
    ]
    noise = getattr(model, "noise_var_", None)
    if noise is not None:
        where = "" if chain.warp is None else _UNITS.get(type(chain.warp).__name__, " warped")
        of_process = f"standard deviation {chain.unit * noise**0.5:.4g}{where} a step"
        if fitted.measurement is None:
            lines.append(("noise", of_process))
        else:
            s, known = fitted.measurement.variance, fitted.measurement.known is not None
            given = ", as given" if known else ""
            lines.append(
                (
                    "noise",
                    f"measurement: standard deviation {chain.unit * s**0.5:.4g}{where}{given}",
                )
            )
            lines.append(("", f"process: {of_process}"))
    lines += [("", reason) for reason in fitted.noise_reasons]
    if fitted.support is not None:
        lines.append(("support", str(fitted.support)))
        lines += [("", reason) for reason in fitted.support_reason.splitlines()]
    covariance = getattr(model, "covariance_", None)
    if covariance is not None:
        lines.append(("covariance", " ".join(repr(covariance).split())))
    lines.append(("propagation", str(propagation)))
    names = ["combination", *[""] * len(fitted.companion_reasons)]
    lines += zip(names, fitted.companion_reasons, strict=False)
    lines += [("note", note) for note in fitted.notes]
    return "\n".join(f"{name:<12} {text}".rstrip() for name, text in lines)


def described(options: Options, fitted: Fitted | None) -> str:
    """Return the call that would make a forecaster, with what differs from the defaults."""
    shown = [
        f"{field.name}={value!r}"
        for field in fields(options)
        for value in [vars(options)[field.name]]
        if field.name == "lags" or repr(value) != repr(field.default)
    ]
    call = f"Forecaster({', '.join(shown)})"
    if options.model is None and fitted and isinstance(fitted.model, SparseGaussianProcess):
        call += f"  # fitted: a SparseGaussianProcess on {len(fitted.rows.y)} rows"
    return call
