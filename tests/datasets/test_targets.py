"""Classes or values: the rule, the conversions and their errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn.datasets import detect_task
from gskn.exceptions import InputError


def reference_rule(numbers):
    """Return the task of numbers, as in the documentation."""
    if any(number != int(number) for number in numbers):
        return "values"
    different = set(numbers)
    many = len(different) > 20 and len(different) > len(numbers) / 2
    return "values" if many else "classes"


@given(
    st.lists(
        st.integers(-30, 30) | st.sampled_from([0.5, 1e6, -3.0]), min_size=1, max_size=60
    )
)
def test_numbers_are_classified_by_the_rule(numbers):
    expected = reference_rule(numbers)
    for values in (np.array(numbers), [str(number) for number in numbers]):
        task, targets = detect_task(values)
        assert task == expected
        assert targets.shape == (len(numbers),)
    if expected == "values":
        assert targets.dtype == np.float64
        assert targets.tolist() == numbers


@pytest.mark.parametrize(
    ("values", "task", "expected"),
    [
        (["1", "-2", "1"], "auto", [1, -2, 1]),
        (["1", "2"], "values", [1.0, 2.0]),
        (["1.5", "2"], "classes", ["1.5", "2"]),
        (["a", "1.5"], "auto", ["a", "1.5"]),
        (["1_2", "3.5"], "auto", ["1_2", "3.5"]),
        (["12345678901234567890", "1"], "auto", ["12345678901234567890", "1"]),
        (np.array([True, False]), "auto", [True, False]),
        (np.array([True, False]), "values", [1.0, 0.0]),
        (np.array([1.0, 2.0]), "auto", [1, 2]),
        (np.array([1.5, 2.0]), "classes", ["1.5", "2"]),
        (np.array([1, 2], dtype=np.uint8), "auto", [1, 2]),
        ([str(n) for n in range(21)], "classes", list(range(21))),
        ([str(n) for n in range(20)], "auto", list(range(20))),
    ],
)
def test_targets_are_converted(values, task, expected):
    name, targets = detect_task(values, task)
    assert targets.tolist() == expected
    assert [type(value) for value in targets.tolist()] == [type(x) for x in expected]
    is_float = targets.dtype.kind == "f"
    assert name == ("values" if is_float else "classes")


@pytest.mark.parametrize(
    ("values", "task", "message"),
    [
        (["1.5", "a"], "values", "graph 1 is 'a', which is not a number; .*'classes'"),
        (["1", ""], "auto", "graph 1 is missing"),
        ([1.5, None], "auto", "graph 1 is missing"),
        ([1.5, float("nan")], "auto", "graph 1 is missing"),
        (["1.5", "nan"], "auto", "graph 1 is nan; correct it"),
        (["1.5", "-inf"], "values", "graph 1 is -inf; correct it"),
        ([0.5, 1e200], "auto", "at most 1e.70 in absolute value"),
        ([], "auto", "There are no targets"),
        ([[1, 2]], "auto", r"shape \(1, 2\)"),
        ([[1], [1, 2]], "auto", "not a list of single values"),
        ([1, 2], "regression", "task"),
    ],
)
def test_impossible_targets_raise_with_a_remedy(values, task, message):
    with pytest.raises(InputError, match=message):
        detect_task(values, task)
