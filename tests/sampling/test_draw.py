"""The draw: SHA-256 tickets and nothing else."""

import hashlib
import itertools
import random
from fractions import Fraction

import pytest

from sampling.draw import draw, ticket

FRAME = hashlib.sha256(b"frame").hexdigest()
UNITS = {"s01": [f"{number:032x}" for number in range(40)], "s02": ["a" * 32, "b" * 32]}


def drawn(seed="1" * 20, units=UNITS, sizes=None):
    return draw(FRAME, seed, units, sizes or {"s01": 10, "s02": 1})


def test_a_ticket_can_be_checked_by_hand():
    text = f"audit-draw/1\n{FRAME}\n😀 seed\ns01\nabc"
    assert ticket(FRAME, "😀 seed", "s01", "abc") == hashlib.sha256(text.encode()).hexdigest()


def test_golden_tickets():
    """Made with: printf 'audit-draw/1\\n%s\\n%s\\n%s\\n%s' FRAME SEED STRATUM UNIT | sha256sum."""
    assert ticket("0" * 64, "31415926535897932384", "s01", "ab") == (
        "7ea3088e9d369fde0309d0e8d414e56f68e463c547d05927c2966c04e7f5037a"
    )


def test_probabilities_are_exact_fractions():
    by_stratum = {row.stratum: row.inclusion_probability for row in drawn()}
    assert by_stratum == {"s01": Fraction(1, 4), "s02": Fraction(1, 2)}


def test_two_drawings_are_equal_whatever_the_order():
    shuffled = {stratum: random.Random(1).sample(ids, len(ids)) for stratum, ids in reversed(UNITS.items())}
    assert drawn() == drawn(units=shuffled)


def test_another_seed_or_frame_draws_others():
    assert {row.unit for row in drawn()} != {row.unit for row in drawn(seed="2" * 20)}


def test_a_larger_sample_keeps_the_smaller_one():
    small = {row.unit for row in drawn()}
    large = {row.unit for row in drawn(sizes={"s01": 20, "s02": 2})}
    assert small < large


def test_a_whole_stratum_can_be_drawn():
    assert len(drawn(sizes={"s01": 40, "s02": 2})) == 42


@pytest.mark.parametrize(
    "sizes", [{"s01": 0, "s02": 1}, {"s01": 41, "s02": 1}, {"s01": 1}, {"s01": 1, "s02": 1, "s03": 1}]
)
def test_an_impossible_design_is_refused(sizes):
    with pytest.raises(ValueError, match=r"need 0 < n <= N|strata of frame and design differ"):
        drawn(sizes=sizes)


def test_every_pair_is_drawn_about_equally_often():
    """2,000 seeds, 3 of 6: no pair's count lies more than 4.5 standard deviations off."""
    units, runs = [f"{number:032x}" for number in range(6)], 2000
    counts = dict.fromkeys(itertools.combinations(units, 2), 0)
    for number in range(runs):
        chosen = sorted(row.unit for row in draw(FRAME, str(number), {"s01": units}, {"s01": 3}))
        for pair in itertools.combinations(chosen, 2):
            counts[pair] += 1
    share = 0.2  # 3/6 x 2/5
    deviation = (runs * share * (1 - share)) ** 0.5
    assert max(abs(count - runs * share) for count in counts.values()) < 4.5 * deviation
