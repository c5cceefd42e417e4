"""Strata out of attributes."""

from sampling.design import PoolUnit, fitting_merge, halves, plan_strata


def units(*cells):
    """cells: (number of units, correct, category)."""
    built = []
    for count, correct, category in cells:
        built += [PoolUnit(len(built) + place, correct, {"category": category}) for place in range(count)]
    return built


def shape(strata):
    return [(stratum.code, stratum.name, stratum.population_size) for stratum in strata]


def test_correctness_is_always_part_of_a_stratum():
    pool = units((3, True, "a"), (2, False, "a"), (1, None, "a"))
    assert shape(plan_strata(pool, [])) == [
        ("s01", "correct", 3),
        ("s02", "incorrect", 2),
        ("s03", "correctness unknown", 1),
    ]


def test_attributes_cross_and_codes_follow_names():
    pool = units((2, True, "b"), (3, True, "a"), (4, False, "a"))
    assert shape(plan_strata(pool, ["category"])) == [
        ("s01", "correct · a", 3),
        ("s02", "correct · b", 2),
        ("s03", "incorrect · a", 4),
    ]


def test_a_missing_value_is_a_stratum_of_its_own():
    pool = [PoolUnit(1, True, {}), *units((2, True, "a"))]
    assert ("s01", "correct · (none)", 1) in shape(plan_strata(pool, ["category"]))


def test_small_strata_merge_within_their_correctness():
    pool = units((9, True, "a"), (1, True, "b"), (1, True, "c"), (9, False, "a"), (1, False, "b"))
    assert shape(plan_strata(pool, ["category"], merge_below=2)) == [
        ("s01", "correct · a", 9),
        ("s02", "correct · smaller strata together", 2),
        ("s03", "incorrect · smaller strata together", 10),
    ]


def test_every_unit_is_in_one_stratum():
    pool = units((5, True, "a"), (2, False, "b"), (1, None, "c"), (1, True, "d"))
    for merge_below in range(8):
        keys = [key for stratum in plan_strata(pool, ["category"], merge_below) for key in stratum.keys]
        assert sorted(keys) == sorted(unit.key for unit in pool)


def test_the_merge_that_fits_a_budget_is_found():
    pool = units((9, True, "a"), (2, True, "b"), (2, True, "c"), (2, True, "d"))
    threshold = fitting_merge(pool, ["category"], reserve=3, budget=6)
    assert len(plan_strata(pool, ["category"], threshold)) == 2
    assert fitting_merge(pool, ["category"], reserve=3, budget=1) is None


def test_a_signal_is_cut_at_its_median_with_ties_and_gaps():
    assert halves({1: 0.5, 2: 0.5, 3: 0.9, 4: None}) == {
        1: "up to 0.5",
        2: "up to 0.5",
        3: "above 0.5",
        4: "missing",
    }
    assert halves({1: None}) == {1: "missing"}
