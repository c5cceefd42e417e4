"""Sample sizes per stratum."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.allocation import BudgetTooSmall, StratumSize, allocate


def test_the_documented_example():
    rates = [0.02, 0.10, 0.35]
    strata = [StratumSize(size, rate=rate) for size, rate in zip([4000, 700, 300], rates, strict=True)]
    assert allocate(strata, 200) == [138, 38, 24]


def test_without_rates_it_is_proportional():
    assert allocate([StratumSize(size) for size in (4000, 700, 300)], 200) == [156, 30, 14]


def test_wrong_answers_get_the_reserve_only():
    assert allocate([StratumSize(400), StratumSize(300, reserve_only=True)], 50) == [47, 3]


def test_a_small_stratum_is_drawn_whole_and_the_rest_shared_again():
    assert allocate([StratumSize(4), StratumSize(100), StratumSize(2)], 60, reserve=3) == [4, 54, 2]


def test_a_budget_above_the_pool_draws_everything():
    assert allocate([StratumSize(5), StratumSize(7)], 100) == [5, 7]


def test_a_budget_below_the_reserves_is_refused():
    with pytest.raises(BudgetTooSmall, match="need 8 places, the budget has 7"):
        allocate([StratumSize(50), StratumSize(50), StratumSize(2)], 7)


@given(
    st.lists(st.tuples(st.integers(1, 300), st.booleans()), min_size=1, max_size=12),
    st.integers(1, 400),
    st.integers(2, 5),
)
def test_laws(strata, budget, reserve):
    sizes = [StratumSize(size, reserve_only=only) for size, only in strata]
    try:
        drawn = allocate(sizes, budget, reserve)
    except BudgetTooSmall:
        assert sum(min(size, reserve) for size, _ in strata) > budget
        return
    for number, (size, only) in zip(drawn, strata, strict=True):
        assert min(size, reserve) <= number <= size
        assert not only or number == min(size, reserve)
    room = sum(size if not only else min(size, reserve) for size, only in strata)
    assert sum(drawn) == min(budget, room)
