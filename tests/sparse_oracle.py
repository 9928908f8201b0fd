"""Sparse approximations by the N x N covariance matrices that they stand for, inverses and all."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import multivariate_normal

from gpforecast.covariances import Covariance
from gpforecast.covariances.combinations import Parts

NUGGET = 1e-8  # relative noise of every inducing variable, a documented part of the model


@dataclass
class ExplicitSparseGP:
    """One approximation, from Quinonero-Candela and Rasmussen (2005), table 1.

    `labels` are the blocks of the rows, `label_of` the block of a new input. `P` projects inputs
    before the covariance sees them; `h` is what is added to K_MM, relative to its diagonal.
    """

    kind: str
    X: np.ndarray
    y: np.ndarray
    Z: np.ndarray
    covariance: Covariance
    noise_var: float
    labels: np.ndarray | None = None
    label_of: object = None
    P: np.ndarray | None = None
    h: np.ndarray | float = 0.0

    def k(self, A, B):
        return Parts.of(self.covariance, A.shape[1]).kernel(A, B)

    def inside(self, X):
        return X if self.P is None else X @ self.P.T

    def q(self, A, B):
        if len(self.Z) == 0:
            return np.zeros((len(A), len(B)))
        K_MM = self.k(self.Z, self.Z)
        K_MM = K_MM + np.diag(np.diag(K_MM) * (NUGGET + self.h))
        return self.k(A, self.Z) @ np.linalg.inv(K_MM) @ self.k(self.Z, B)

    def linear(self, A, B):
        prior = Parts.of(self.covariance, A.shape[1]).prior
        return A * prior[:-1] @ B.T + prior[-1]

    def training_covariance(self):
        X = self.inside(self.X)
        K, Q = self.k(X, X), self.q(X, X)
        if self.kind in ("sr", "dtc", "vfe"):
            C = Q
        elif self.kind == "fitc":
            C = np.where(np.eye(len(X), dtype=bool), K, Q)
        else:
            C = np.where(self.labels[:, None] == self.labels, K, Q)
        return C + self.linear(self.X, self.X) + self.noise_var * np.eye(len(X))

    def log_evidence(self):
        C = self.training_covariance()
        value = multivariate_normal(np.zeros(len(C)), C).logpdf(self.y)
        if self.kind == "vfe":
            X = self.inside(self.X)
            value -= 0.5 * np.trace(self.k(X, X) - self.q(X, X)) / self.noise_var
        return value

    def joint(self, at):
        """Mean and covariance of f at all of `at`; in different blocks PIC shares q alone."""
        A, X = self.inside(at), self.inside(self.X)
        cross = self.q(A, X)
        prior = self.q(A, A) if self.kind == "sr" else self.k(A, A)
        if self.kind in ("pic", "local"):
            labels = self.label_of(at)
            cross = np.where(labels[:, None] == self.labels, self.k(A, X), cross)
            prior = np.where(labels[:, None] == labels, prior, self.q(A, A))
        cross = cross + self.linear(at, self.X)
        prior = prior + self.linear(at, at)
        inverse = np.linalg.inv(self.training_covariance())
        return cross @ inverse @ self.y, prior - cross @ inverse @ cross.T

    def predict(self, at):
        mean, cov = self.joint(at)
        return mean, np.diag(cov)
