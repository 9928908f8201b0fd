"""The problems of the speed benchmarks, as arrays, the same for every library."""

from pathlib import Path

import numpy as np
from workers import Workshop

import gpforecast as gf

LAGS = 16
START = {"lengthscale_start": 4.0, "variance_start": 1.0, "noise_start": 0.01}


class Problems:
    """Mackey-Glass with noise of variance 1e-3, 16 unit lags; hyperparameters fitted once."""

    def __init__(self, workshop: Workshop, n_fitted: int = 500) -> None:
        self.workshop = workshop
        self.series = gf.datasets.mackey_glass(
            12_000, normalise=True, noise_var=1e-3, seed=0
        ).to_numpy()
        X, y = self._rows(self.series[: n_fitted + LAGS])
        gp = gf.models.GaussianProcess().fit(X, y)
        self.hyperparameters = {
            "lengthscales": np.asarray(gp.covariance_.lengthscales),
            "variance": gp.covariance_.variance,
            "noise_var": gp.noise_var_,
        }

    @staticmethod
    def _rows(values):
        rows = gf.embedding.LagEmbedding(LAGS).transform(values)
        return rows.X, rows.y

    def fit(self, n: int) -> Path:
        """Return the rows to fit; the series is normalised at its own length."""
        series = gf.datasets.mackey_glass(n + LAGS, normalise=True, noise_var=1e-3, seed=0)
        X, y = self._rows(series)
        return self.workshop.save(f"fit-{n}", X=X, y=y, series=series, **START)

    def forecast(self, n: int, horizon: int = 100, n_origins: int = 1, threads: int = 1) -> Path:
        """Return a model of n rows, origins to forecast from, and one uncertain input, u and S.

        That input is the one of step 40 of the forecast from the end of the training data: S is
        full, and as large as in a typical forecast.
        """
        series = self.series[: n + LAGS]
        scaler = gf.transforms.Standardise.fit(series)
        scaled = np.asarray(scaler.transform(self.series))
        X, y = self._rows(scaled[: n + LAGS])
        given = self.hyperparameters
        model = gf.models.GaussianProcess(
            gf.covariances.SquaredExponential(given["lengthscales"], given["variance"]),
            noise_var=given["noise_var"],
            optimizer=None,
        )
        f = gf.Forecaster(lags=LAGS, model=model, max_rows=None).fit(scaled[: n + LAGS]).predict(40)
        lags = slice(39, 39 - LAGS, -1)
        origins = np.array([n + LAGS])
        if n_origins > 1:
            room = np.arange(n + LAGS, len(scaled) - horizon)
            origins = np.sort(np.random.default_rng(0).choice(room, n_origins, replace=False))
        return self.workshop.save(
            f"forecast-{n}-{n_origins}-{threads}",
            X=X,
            y=y,
            series=series,
            whole=self.series,
            scaled=scaled,
            origins=origins,
            pasts=scaled[origins[:, None] - LAGS + np.arange(LAGS)],
            horizon=horizon,
            threads=threads,
            u=f.mean.to_numpy()[lags],
            S=f.covariance.to_numpy()[lags, lags],
            **given,
        )


def log_evidence(problem: Path, answer: dict[str, np.ndarray]) -> float:
    """Return log N(y | 0, K + s2 I) at the hyperparameters of an answer, explicitly."""
    with np.load(problem) as given:
        X, y = given["X"] / answer["lengthscales"], given["y"]
    apart = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    C = answer["variance"] * np.exp(-0.5 * apart) + answer["noise_var"] * np.eye(len(y))
    log_det = np.linalg.slogdet(C)[1]
    return float(-0.5 * (y @ np.linalg.solve(C, y) + log_det + len(y) * np.log(2 * np.pi)))
