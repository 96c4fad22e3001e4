"""Positions with exact probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sweepstakes import ParameterError, PositionError, Rules, View
from sweepstakes.cli.main import cli, run
from sweepstakes.inference import posterior
from sweepstakes.learning import Positions, positions


def same(left: Positions, right: Positions) -> bool:
    pairs = [(getattr(left, name), getattr(right, name)) for name in Positions._fields]
    return all(np.array_equal(one, other, equal_nan=one is left.probability) for one, other in pairs)


def test_positions_have_the_exact_posterior() -> None:
    found = positions(120, "8x9/14", seed=5)
    assert found.shown.shape == (120, 8, 9)
    assert found.exact.all()
    for i in range(0, 120, 7):
        belief = posterior(found.shown[i], found.mines, trust_flags=False)
        assert np.allclose(found.probability[i], belief.probability, atol=1e-7, equal_nan=True)
        assert np.array_equal(found.certain[i], belief.certain)


def test_positions_are_those_of_games_one_after_the_other() -> None:
    found = positions(200, "beginner", seed=2)
    assert (np.diff(found.game) >= 0).all()
    for game in range(int(found.game[-1])):
        its = found.game == game
        assert found.turn[its].tolist() == list(range(1, 1 + its.sum()))
        assert len(set(found.won[its].tolist())) == 1
        assert ((np.diff((found.shown[its] >= 0).sum((1, 2)))) > 0).all(), "a turn that opened nothing"
    assert 0.5 < found.won.mean() < 1


def test_more_positions_begin_with_the_same_ones_and_another_seed_has_others() -> None:
    few, many = positions(30, "beginner", 3), positions(60, "beginner", 3)
    assert same(few, Positions(*(part if name == "mines" else part[:30] for name, part in many._asdict().items())))
    assert not same(few, positions(30, "beginner", 4))


def test_another_agent_rules_and_noise_can_play() -> None:
    found = positions(
        40, "6x6/8", 1, agent="basic", rules=Rules("continue", "any"), source="clustered", noise="hidden(rate=0.3)"
    )
    assert (found.shown == 9).any()
    assert (found.shown == -3).any()
    assert (found.turn == 0).any(), "a first click that may be a mine has a posterior"
    known = ~np.isnan(found.probability)
    assert np.array_equal(known, (found.shown == -1) | (found.shown == -2))


def test_a_file_has_all_fields_and_is_read_again(tmp_path: Path) -> None:
    found = positions(20, "beginner", 1)
    found.save(tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz") as file:
        assert set(file) == set(Positions._fields)
    assert same(Positions.load(tmp_path / "p.npz"), found)
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    np.savez(tmp_path / "other.npz", a=1)
    for name in ("bad.npz", "other.npz", "none.npz"):
        with pytest.raises(PositionError, match=name):
            Positions.load(tmp_path / name)


def test_the_command_writes_what_the_function_returns(tmp_path: Path) -> None:
    out = tmp_path / "new" / "p.npz"
    said = CliRunner().invoke(cli, ["positions", "beginner", "--count", "25", "--seed", "9", "--out", str(out)])
    assert said.exit_code == 0, said.output
    assert "25 positions of beginner from" in said.output
    assert same(Positions.load(out), positions(25, "beginner", 9))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["beginer"], "unknown board size 'beginer'"),
        (["beginner", "--agent", "exat"], "did you mean 'exact'"),
        (["beginner", "--noise", "liar(rat=1)"], "did you mean 'rate'"),
        (["3x3/9"], "leave no room for a first click"),
        (["3x3/0"], "meets no position"),
    ],
)
def test_wrong_arguments_are_answered_in_a_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["positions", *arguments, "--out", str(tmp_path / "p.npz")]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_no_positions_are_none() -> None:
    with pytest.raises(ParameterError, match="0 positions"):
        positions(0)


def test_a_position_can_be_shown() -> None:
    found = positions(5, "beginner", 1)
    view = View(9, 9, found.mines, Rules("end", "safe"), View.parse("1 1 0\n.").noise, found.shown[4].tobytes())
    assert View.parse(str(view)) == view
