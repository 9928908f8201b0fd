"""What is decided among candidates, and what is said of it."""

import numpy as np
import pytest

from gpforecast.automatic.decision import Candidate, best_of


def test_the_smallest_score_times_its_penalty_wins_and_the_first_of_equals():
    candidates = [
        Candidate("a", "A", 3.0),
        Candidate("b", "B", 2.0, 1.6),
        Candidate("c", "C", 6.0, 0.5),
    ]
    decision = best_of(candidates, "why")
    assert decision.value == "a"
    assert decision.scores == {"A": 3.0, "B": 2.0, "C": 6.0}
    assert best_of(candidates[::-1], "why").value == "c"


def test_a_better_one_that_is_right_less_often_had_to_be_so_much_better():
    a, b = Candidate("a", "A", 3.0, 1.1), Candidate("b", "B", 2.9, 1.3)
    said = (
        'in trial forecasts the error of "B" is 3 % smaller (CRPS 2.9 against 3), but it '
        "suits fewer series of this kind, so the error would have to be at least 15 % smaller"
    )
    assert best_of([a, b], "why").reasons == ("A: why", said)
    assert best_of([a, Candidate("b", "B", 3 * 0.845, 1.3)], "why").value == "b"
    assert best_of([a, Candidate("b", "B", 3 * 0.847, 1.3)], "why").value == "a"


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_only_finite_scores_are_compared(bad):
    for scores in ((1.0, bad), (bad, bad)):
        found = best_of([Candidate(n, n, s) for n, s in zip("AB", scores, strict=True)], "why")
        assert found.reason == "A: why"
