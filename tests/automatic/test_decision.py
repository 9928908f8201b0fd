"""What is decided among candidates, and what is said of it."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gpforecast.automatic.decision import Candidate, Decision, best_of


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


def test_an_alternative_would_win_below_the_number_that_is_said():
    a, b = Candidate("a", "A", 3.0, 1.1), Candidate("b", "B", 2.9, 1.3)
    decision = best_of([a, b], "why")
    assert decision.reasons == (
        "A: why; mean CRPS of trial forecasts 3",
        "also tried: B, CRPS 2.9 (it had to be below 2.54, as it is right less often)",
    )
    assert best_of([a, Candidate("b", "B", 2.53, 1.3)], "why").value == "b"
    assert best_of([a, Candidate("b", "B", 2.55, 1.3)], "why").value == "a"


def test_a_choice_that_is_right_more_often_would_have_won_above_the_best():
    a, b = Candidate("a", "A", 2.0, 1.5), Candidate("b", "B", 3.5, words="the other")
    said = best_of([a, b], "why").reasons[1]
    why = "it had to be below 3 only, as it is right more often"
    assert said == f"also tried: the other, CRPS 3.5 ({why})"
    assert best_of([a, Candidate("b", "B", 2.9)], "why").value == "b"


def test_what_speaks_against_the_chosen_one_is_said_as_such():
    candidates = [Candidate("a", "A", 1.0), Candidate("b", "B", 2.0)]
    assert best_of(candidates, "the test", "A").reason.startswith(
        "A: trial forecasts decide, although the test;"
    )
    assert best_of(candidates, "the test", "B").reason.startswith("A: the test;")


def test_the_nearest_three_alternatives_are_said_and_the_others_are_counted():
    scores = {"A": 1.0, "B": 5.0, "C": 2.0, "D": np.inf, "E": 4.0, "F": 3.0}
    candidates = [Candidate(name, name, score) for name, score in scores.items()]
    said = best_of(candidates, "why").reasons[1]
    assert said.endswith(": C, CRPS 2; F, CRPS 3; E, CRPS 4; 2 more, which did worse")
    assert best_of(candidates[:1], "why").reasons == ("A: why; mean CRPS of trial forecasts 1",)


def test_shares_are_said_in_the_units_of_the_series():
    a, b = Candidate("a", "A", 0.0123), Candidate("b", "B", 0.02)
    decision = best_of([a, b], "why", size=1e5)
    assert decision.reasons[0].endswith("trial forecasts 1230")
    assert decision.reasons[1].endswith("B, CRPS 2000")
    assert decision.scores == {"A": 0.0123, "B": 0.02}
    assert best_of([a, b], "why", unit="of the root").reasons[0].endswith(" 0.0123 of the root")


def test_a_decision_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Decision(1).value = 2
