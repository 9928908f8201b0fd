"""What is decided among candidates, and what is said of it."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.common.wording import compared


def test_the_smallest_score_times_its_handicap_wins_and_the_first_of_equals():
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


def test_the_best_one_that_is_right_less_often_was_good_enough():
    a, b = Candidate("a", "A", 2.0, 1.5), Candidate("b", "B", 3.5, words="the other")
    assert best_of([a, b], "why").reasons[1] == (
        'in trial forecasts its error is 43 % smaller than that of "the other" (CRPS 2 against '
        "3.5); it suits fewer series of this kind, so at least 33 % was needed"
    )
    assert best_of([a, Candidate("b", "B", 2.0 / 0.66)], "why").value == "a"
    assert best_of([a, Candidate("b", "B", 2.0 / 0.68)], "why").value == "b"


def test_what_speaks_against_the_chosen_one_is_said_as_such():
    candidates = [Candidate("a", "A", 1.0), Candidate("b", "B", 2.0)]
    assert best_of(candidates, "the test", "A").reason.startswith(
        "A: trial forecasts decide, although the test\n"
    )
    assert best_of(candidates, "the test", "B").reason.startswith("A: the test\n")


def test_the_next_best_is_said_and_the_others_are_counted():
    scores = {"A": 1.0, "B": 5.0, "C": 2.0, "D": np.inf, "E": 4.0, "F": 3.0}
    candidates = [Candidate(name, name, score) for name, score in scores.items()]
    said = (
        'its error is 50 % smaller than that of "C", the next best of 5 others (CRPS 1 against 2)'
    )
    assert best_of(candidates, "why").reasons == ("A: why", f"in trial forecasts {said}")
    assert best_of(candidates, judged="trials").reasons == (f"A: in trials {said}",)


def test_of_one_that_alone_could_be_tried_only_that_is_said():
    lost = Candidate("b", "B", np.inf)
    assert best_of([Candidate("a", "A", 1.0), lost], "why").reasons == ("A: why",)
    assert best_of([Candidate("a", "A", 1.0), lost]).reasons == ("A: nothing else could be tried",)


def test_shares_are_said_in_the_units_of_the_series():
    a, b = Candidate("a", "A", 0.0123), Candidate("b", "B", 0.02)
    decision = best_of([a, b], "why", size=1e5)
    assert decision.reasons[1].endswith("(CRPS 1230 against 2000)")
    assert decision.scores == {"A": 0.0123, "B": 0.02}
    said = best_of([a, b], "why", unit="units of the root").reasons[1]
    assert said.endswith("(CRPS 0.0123 against 0.02, in units of the root)")


@pytest.mark.parametrize(
    ("error", "other", "said"),
    [
        (0.0, 0.0, "as large as"),
        (0.0, 1.0, "100 % smaller than"),
        (1.0, 0.0, "over 1000 times"),
        (0.999, 1.0, "under 1 % smaller than"),
        (1.99, 1.0, "99 % larger than"),
        (2.0, 1.0, "2 times"),
        (123.0, 1.0, "120 times"),
    ],
)
def test_errors_are_compared_in_per_cent(error, other, said):
    assert compared(error, other) == said


def test_a_decision_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Decision(1).value = 2


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_only_finite_scores_are_compared(bad):
    for scores in ((1.0, bad), (bad, bad)):
        found = best_of([Candidate(n, n, s) for n, s in zip("AB", scores, strict=True)], "why")
        assert found.reason == "A: why"
