"""Hierarchies given by a matrix, a tree or keys, and what is none."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from gpforecast.reconciliation import Hierarchy

TREE = {"all": ["n", "s"], "s": ["coast", "hills"]}


def test_a_tree_a_matrix_and_keys_give_the_same():
    tree = Hierarchy.of(TREE)
    assert tree.names == ("all", "s", "n", "coast", "hills")
    assert tree.bottom == ("n", "coast", "hills")
    assert_array_equal(tree.matrix[:2], [[1, 1, 1], [0, 1, 1]])
    again = Hierarchy.of(tree.to_frame().iloc[::-1])
    assert again.bottom == tree.bottom
    assert set(again.names) == set(tree.names)
    pd.testing.assert_frame_equal(again.to_frame().loc[list(tree.names)], tree.to_frame())
    assert Hierarchy.of(tree) is tree
    keys = pd.DataFrame({"part": ["n", "s", "s"]}, ["north", "coast", "hills"])
    by_keys = Hierarchy.of(keys)
    assert by_keys.names == ("Total", "n", "s", "north", "coast", "hills")
    assert_array_equal(by_keys.matrix[:3], [[1, 1, 1], [1, 0, 0], [0, 1, 1]])


def test_keys_give_nested_and_crossed_levels():
    keys = pd.DataFrame(
        {"state": ["NSW", "NSW", "VIC", "VIC"], "why": ["work", "fun", "work", "fun"]},
        ["a", "b", "c", "d"],
    )
    assert Hierarchy.from_keys(keys).names == ("Total", "NSW", "VIC", "a", "b", "c", "d")
    crossed = Hierarchy.from_keys(keys, levels=[[], ["state"], ["why"]], total="AU")
    assert crossed.names[:5] == ("AU", "NSW", "VIC", "work", "fun")
    assert_array_equal(crossed.matrix[3], [1, 0, 1, 0])
    for wrong in (["state"], [["stat"]]):
        with pytest.raises(ValueError, match="levels must hold lists of columns"):
            Hierarchy.from_keys(keys, levels=wrong)
    both = Hierarchy.from_keys(keys, levels=[["state", "why"]])
    assert both.names[0] == "NSW/work"


def test_a_table_is_added_up_and_totals_miss_what_a_part_misses_within_its_span():
    tree = Hierarchy.of(TREE)
    days = pd.date_range("2026-01-01", periods=5)
    wide = pd.DataFrame(
        {"n": [1.0, 2, 3, 4, 5], "coast": [np.nan, 1, np.nan, 1, 1], "hills": [2.0] * 5}, days
    )
    long = wide.rename_axis("day").reset_index().melt("day", var_name="place", value_name="v")
    names = {"id": "place", "time": "day", "target": "v"}
    with pytest.warns(UserWarning, match="'coast' is known from 2026-01-02. Where"):
        found = tree.aggregate(long, **names)
    assert found.columns.tolist() == ["place", "day", "v"]
    table = found.set_index(["place", "day"])["v"]
    assert table["all"].index.tolist() == days.tolist()
    assert_array_equal(table["all"], [3.0, 5.0, np.nan, 7.0, 8.0])
    assert_array_equal(table["s"], [2.0, 3.0, np.nan, 3.0, 3.0])
    assert_array_equal(table["n"], wide["n"])
    assert table["coast"].index.tolist() == days[1:].tolist()
    with pytest.raises(ValueError, match="'v2'"):
        tree.aggregate(long, id="place", time="day", target="v2")
    with pytest.raises(ValueError, match="all 3 bottom series; it lacks 1, the first 'n'"):
        tree.aggregate(long[long["place"] != "n"], **names)
    with pytest.raises(ValueError, match="'n' has 2026-01-01 00:00:00 twice"):
        tree.aggregate(pd.concat([long, long.iloc[:1]]), **names)


def test_parts_that_ended_or_never_began_count_as_nothing_and_are_named():
    wide = pd.DataFrame({"n": [1.0, 2, 3], "coast": [np.nan] * 3, "hills": [5.0, 5, np.nan]})
    with pytest.warns(UserWarning, match="'coast' has no value, 'hills' is known to 1. Where"):
        found = Hierarchy.of(TREE).aggregate(wide)
    assert_array_equal(found["all"], [6.0, 7.0, 3.0])
    assert_array_equal(found["s"], [5.0, 5.0, np.nan])  # of no part, once both are absent
    # What begins late without a total, or along with all others of its total, is no surprise.
    Hierarchy.of({"s": ["coast", "hills"]}).aggregate(wide.assign(coast=wide["hills"]))


def test_a_wide_frame_is_answered_by_a_wide_frame_on_the_same_times():
    days = pd.date_range("2026-01-01", periods=3, name="day")
    wide = pd.DataFrame({"coast": [1, 2, 3], "n": [4, 5, 6], "hills": [7, 8, 9]}, days)
    wide = wide.rename_axis(columns="place")
    found = Hierarchy.of(TREE).aggregate(wide)
    columns = pd.Index(["all", "s", "n", "coast", "hills"], name="place")
    values = [[12, 8, 4, 1, 7], [15, 10, 5, 2, 8], [18, 12, 6, 3, 9]]
    pd.testing.assert_frame_equal(found, pd.DataFrame(values, days, columns, dtype=float))
    with_times = Hierarchy.of(TREE).aggregate(wide.reset_index())
    pd.testing.assert_frame_equal(with_times.set_index("day"), found, check_freq=False)


@pytest.mark.parametrize(
    ("structure", "sentence"),
    [
        ({"a": ["b"], "b": ["c", "a"]}, "part of itself; got the total 'a' of 'b' of 'a'"),
        ({}, "at least one series; got none"),
        (["a"], "structure must be a sum matrix or key columns"),
        ({"a": "bc"}, "parts of 'a' must be a list of names; got 'bc'"),
        ({"t": ["a", "b"], "a": ["x", "y"], "b": ["y", "z"]}, "'t' counts 'y' more than once"),
        (pd.DataFrame([[1.0, 1.0], [1.0, 0.0]], ["t", "x"], ["x", "y"]),
         r"shape \(2, 2\), and 1 column without a row of the same name, the first 'y'"),
        (pd.DataFrame([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]], ["t", "x", "y"], ["x", "y"]),
         "check the row of 'x'"),
        (pd.DataFrame([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ["t", "x", "y"], ["x", "y"]),
         "check the row of 't'"),
        (pd.DataFrame({"k": ["x", "x", "z"]}, ["x", "y", "z"]), "'x' comes twice"),
    ],
)  # fmt: skip
def test_what_is_no_hierarchy_is_refused_in_a_sentence(structure, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        Hierarchy.of(structure)
