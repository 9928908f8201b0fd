"""Exact moments by NumPy and BLAS; see ``protocol.py``."""

from plain import PlainMoments, forecast_one_by_one
from protocol import serve


def load():
    def moments(p, blocks=False):
        evaluate = PlainMoments(p, blocks)
        return lambda: evaluate(p["u"], p["S"])

    def forecast(p):
        evaluate = PlainMoments(p, blocks=True)
        return lambda: forecast_one_by_one(evaluate, p["pasts"], p)

    return {
        "moments": moments,
        "blocked_moments": lambda p: moments(p, blocks=True),
        "forecast": forecast,
        "backtest": forecast,
    }


if __name__ == "__main__":
    serve(load)
