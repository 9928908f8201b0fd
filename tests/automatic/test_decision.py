"""What is decided among candidates, and what is said of it."""

from dataclasses import FrozenInstanceError

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
        "alternatives, each with the CRPS below which it would be chosen: B 2.9 (2.54)",
    )
    assert best_of([a, Candidate("b", "B", 2.53, 1.3)], "why").value == "b"
    assert best_of([a, Candidate("b", "B", 2.55, 1.3)], "why").value == "a"


def test_what_speaks_against_the_chosen_one_is_said_as_such():
    candidates = [Candidate("a", "A", 1.0), Candidate("b", "B", 2.0)]
    assert best_of(candidates, "the test", "A").reason.startswith(
        "A: forecasts decide, although the test;"
    )
    assert best_of(candidates, "the test", "B").reason.startswith("A: the test;")


def test_a_decision_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Decision(1).value = 2
