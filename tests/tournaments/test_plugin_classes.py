"""From Python, noises, scores and board sources may be classes or instances, as agents may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import BoardSource, ClueNoise, ConfigError, GameResult, Registry, Score, open_run
from sweepstakes.plugins.noise.hidden import Hidden
from sweepstakes.tournaments import run_tournament

SHARE = 0.25


class Fog(ClueNoise):
    """Withholds clues."""

    def __init__(self, rate: float = SHARE) -> None:
        self.rate = rate

    def likelihood(self, count: int, neighbours: int) -> Mapping[Any, float]:
        """The probability of each shown value."""
        return {"withheld": self.rate, count: 1 - self.rate}


class Clicks(Score):
    """Cells clicked."""

    def of(self, result: GameResult) -> float:
        """The score of a game."""
        return float(result.cells_clicked)

    worst = of


class Plain(BoardSource):
    """Uniform boards."""

    def board(self, seed: int, number: int, size: Any, protected: Any) -> Any:
        """The mines of a board."""
        return Registry.default().source("uniform").board(seed, number, size, protected)


class Secretive(Fog):
    """Does not keep its parameter."""

    def __init__(self, rate: float = 0.1) -> None:
        self.hidden = rate


def data(noise: Any = Fog, score: Any = Clicks, source: Any = Plain) -> dict[str, Any]:
    boards = {"size": 5, "mines": 4, "source": source}
    return {
        "executor": "serial",
        "games": 3,
        "boards": boards,
        "noise": noise,
        "scores": ["win", score],
        "agents": ["basic"],
    }


@pytest.mark.parametrize(
    ("noise", "label"),
    [
        pytest.param(Fog, "fog", marks=pytest.mark.system),
        pytest.param(Fog(), "fog", marks=pytest.mark.slow),
        (Fog(0.5), "fog(rate=0.5)"),
        pytest.param({Fog: {"rate": 0.5}}, "fog(rate=0.5)", marks=pytest.mark.slow),
    ],
    ids=["class", "instance", "instance with a parameter", "class with a parameter"],
)
def test_classes_and_instances_play_and_can_be_read_back(
    noise: Any, label: str, tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    standings = run_tournament(data(noise, Clicks(), Plain()), out=tmp_path / "run")
    assert [column.name for column in standings.scores] == ["win", "clicks"]
    (tmp_path / "run").rename(tmp_path / "moved")
    with open_run(tmp_path / "moved") as run:
        assert [str(c.noise.portable) for c in run.conditions] == [label]
        assert [c.source.name for c in run.conditions] == ["plain"]
    done = sweepstakes("verify", "moved", "--quiet")
    assert done.code == 0, done
    assert sweepstakes("publish", "moved", "--to", "published", "--quiet").code == 0
    done = sweepstakes("verify", "published", "--quiet")
    assert done.code == 0, done


def test_a_built_in_noise_is_called_by_its_name(tmp_path: Path) -> None:
    run_tournament(data(Hidden(rate=0.5), "turns", "uniform"), out=tmp_path / "run")
    with open_run(tmp_path / "run") as run:
        assert [str(c.noise) for c in run.conditions] == ["hidden(rate=0.5)"]
    assert not (tmp_path / "run" / "plugins").exists()


@pytest.mark.parametrize(
    ("noise", "said"),
    [(Clicks, "expected a name, or a subclass of ClueNoise"), (Secretive(0.2), "parameter 'rate' is unknown")],
)
def test_what_cannot_be_one_is_refused_in_a_line(noise: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=said):
        run_tournament(data(noise), out=tmp_path / "run")
