"""What all models of classes have in common: labels in, probabilities out."""

from abc import abstractmethod
from typing import Self

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.models.base import check_inputs
from gpforecast.models.estimator import Estimator
from gpforecast.models.events.classes import Label, codes_of
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.numerics.expectations import check_gaussian
from gpforecast.posteriors.base import offered


class ClassModel(Estimator):
    """A latent f behind classes; a subclass adds the likelihood, parameters and training."""

    likelihood_: Likelihood
    classes_: tuple[Label, ...]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from inputs and classes.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)
            Whole numbers, bools, an ordered Categorical, or two labels of any kind.

        Returns
        -------
        Self
            The same object, fitted.

        Raises
        ------
        TypeError, ValueError
            If X is not of finite numbers with a row for each class, the classes are not two or
            ordered, or a parameter makes no sense. Nothing fitted before is lost.
        """
        classes, codes = self._encoded(y)
        super().fit(X, codes)
        self.classes_ = classes
        return self

    def condition(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Return a fitted model with the same hyperparameters, conditioned on other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)
            Of the classes that it was fitted to; not all of them need to occur.

        Returns
        -------
        Self
            A new object. What it costs is among the notes on the class.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError, ValueError
            If X and y are not finite inputs and known classes of matching shapes.
        """
        self._frozen()
        return super().condition(X, codes_of(self.classes_, y))

    def predict_proba(self, X: ArrayLike, S: ArrayLike | None = None) -> FloatArray:
        r"""Return the probability of each class at X, or at inputs N(X, S).

        .. math:: p(y \mid x) = \int p(y \mid f)\, N(f \mid m, v)\, df

        in closed form. At a known input m and v are those of the posterior. At an uncertain one
        they are the exact moments of f over x ~ N(X, S), and a Gaussian of these stands for the
        distribution of f, which is where it approximates.

        Parameters
        ----------
        X : array-like (n, d)
        S : array-like (n, d, d), optional
            Covariances of the inputs.

        Returns
        -------
        ndarray (n, C)
            A column for each of ``classes_``; every row has the sum 1.

        Raises
        ------
        RuntimeError
            If called before `fit`.
        TypeError
            With S, if the covariance has no exact moments; `probabilities` takes those of another
            propagation method.
        ValueError
            If X and S are not inputs of the model.
        """
        posterior = self._frozen()
        inputs = check_inputs(X, posterior.n_inputs)
        if S is None:
            at = posterior.predict(inputs)
            return self.probabilities(at.mean, at.var)
        matrices = finite_array(S, "S", ndim=3)
        if len(matrices) != len(inputs):
            raise ValueError(f"S has {len(matrices)} covariances but X has {len(inputs)} rows.")
        pairs = [
            check_gaussian(u, one, posterior.n_inputs, "the model")
            for u, one in zip(inputs, matrices, strict=True)
        ]
        u, both = (np.array(values) for values in zip(*pairs, strict=True))
        moments = offered(posterior, "exact").moments(u, both)
        return self.probabilities(moments.mean, moments.var)

    def probabilities(self, mean: ArrayLike, var: ArrayLike) -> FloatArray:
        """Return the probability of each class where f ~ N(mean, var).

        Parameters
        ----------
        mean : array-like (n,)
        var : array-like (n,)
            Latent, without the noise, as of `gpforecast.propagation.predict_uncertain`.

        Returns
        -------
        ndarray (n, C)

        Raises
        ------
        RuntimeError
            If called before `fit`.
        """
        self._frozen()
        means, variances = finite_array(mean, "mean", ndim=1), finite_array(var, "var", ndim=1)
        if means.shape != variances.shape or (variances < 0.0).any():
            raise ValueError("var must have a variance, 0 or more, for each mean.")
        return self.likelihood_.probabilities(means, variances)

    def predict_class(self, X: ArrayLike) -> list[Label]:
        """Return the most probable class at each row of X (n, d)."""
        return [self.classes_[k] for k in self.predict_proba(X).argmax(axis=1)]

    @abstractmethod
    def _encoded(self, y: ArrayLike) -> tuple[tuple[Label, ...], FloatArray]:
        """Return the classes of y, and its values as their places."""
