"""The prompts of language models: golden texts, and each sentence against the referee."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepstakes import (
    Board,
    ClueNoise,
    Game,
    IllegalMove,
    ParameterError,
    Registry,
    Rules,
    Size,
    Spec,
    Turn,
    View,
)
from sweepstakes.game.codes import WITHHELD
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.noise import ShownClue
from sweepstakes.plugins.agents.llm import LanguageModel
from sweepstakes.plugins.agents.llm.answers import BadAnswer, check_legal
from sweepstakes.plugins.agents.llm.prompts import FORMS, rules

GOLDEN = Path(__file__).parent / "prompts"
POSITION = "01..\n01F.\n02*."
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "grid": ("3 4 3", {}),
    "coordinates": ("3 4 3", {"view": "coordinates", "answer": "tool"}),
    "constraints": ("3 4 3 on_mine=end first_click=opening", {"view": "constraints", "answer": "text", "attempts": 1}),
    "json": ("3 4 3 on_mine=end first_click=safe flood=no", {"view": "json", "attempts": 4}),
    "start": ("3 4 3 first_click=opening start=0,0", {"template": "one-message"}),
    "hidden": ("3 4 3 noise=hidden(rate=0.25)", {"view": "coordinates"}),
    "optimistic": ("3 4 3 noise=optimistic(rate=0.1)", {}),
    "cautious": ("3 4 3 start=0,0 noise=cautious(blanks=true,rate=0.1)", {}),
    "liar": ("3 4 3 first_click=safe start=0,0 noise=liar(rate=0.1)", {}),
    "first-turn": ("3 4 3 on_mine=end first_click=safe\n....\n....\n....", {}),
    "template": ("3 4 3", {"template": "Hello.\n---\n{position}\n{answer}"}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_prompt_is_the_golden_one(name: str) -> None:
    """After a change on purpose, delete the file, run the test twice, and read the new prompt line by line."""
    head, parameters = CASES[name]
    position = "" if "\n" in head else POSITION.replace("2*", "?*") if name == "hidden" else POSITION
    asked = LanguageModel("m", **parameters).prompt(View.parse(f"{head}\n{position}"))
    text = "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in asked) + "\n"
    file = GOLDEN / f"{name}.txt"
    if not file.exists():
        file.write_text(text, encoding="utf-8")
        pytest.fail(f"{file} was missing and is written now")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", FORMS)
def test_no_prompt_lists_what_may_be_opened(form: str) -> None:
    """A covered cell far from every clue is named by no way to show a position but its place."""
    text = FORMS[form](View.parse("9 9 5\n" + "\n".join(["." * 9] * 8 + ["." * 8 + "1"])))
    assert "(0, 0)" not in text
    assert text.count("(7, 7)") == (form == "constraints")


def test_prompts_differ_only_by_what_the_view_has() -> None:
    one = LanguageModel("m", view="grid").prompt(View.parse("2 3 1\n...\n..."))
    assert one == LanguageModel("other", view="grid", temperature=1.0).prompt(View.parse("2 3 1\n...\n..."))
    assert "2 rows and 3 columns with 1 mine." in one[0]["content"]


class Coin(ClueNoise):
    """A noise that no sentence of the built-in noises describes."""

    def likelihood(self, count: int, neighbours: int) -> dict[ShownClue, float]:
        return {0: 0.5, count: 0.5} if count else {0: 1.0}


def test_an_unknown_noise_is_told_by_its_table() -> None:
    view = View.parse("2 3 1\n...\n...")._replace(noise=Coin().model("coin"))
    text = rules(view, 2)
    assert "n=3 k=2: 0 0.5, 2 0.5;" in text
    assert "n=8 k=0: 0 1;" in text
    assert "Opening a cell opens no other cell." in text, "0 is shown by other cells too"


@pytest.mark.parametrize("blanks", [False, True])
@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("name", ["hidden", "optimistic", "cautious", "liar"])
def test_a_built_in_noise_is_told_in_its_own_words(name: str, rate: float, blanks: bool) -> None:
    noise = Registry.default().noise(f"{name}(rate={rate}, blanks={str(blanks).lower()})")
    text = rules(View.parse("2 3 1\n...\n...")._replace(noise=noise), 2)
    if rate == 0 and not noise.exact:
        pytest.fail("a rate of 0 is no noise")
    if noise.exact:
        assert "shows its clue: the number of its neighbours that have a mine." in text
        return
    word = {"hidden": "withheld", "optimistic": "to k - 1,", "cautious": "k + 1 to n", "liar": "k - 1 or k + 1"}[name]
    assert word in text
    assert f"probability {rate:g} the clue" in text
    assert ("always shows 0" in text) is not blanks
    assert ("Opening a cell opens no other cell." in text) is blanks


def test_the_sentences_on_turns_are_what_the_referee_does() -> None:
    """Each sentence of the prompt, tried."""
    text = rules(View.parse("1 5 2\n....."), 2)
    assert "A turn first removes flags, then puts flags, then opens cells" in text
    game = Game(Board.parse("*.*.."))
    game.take(Turn(flag=[(0, 1)]))
    game.take(Turn(unflag=[(0, 1)], flag=[(0, 0)], open=[(0, 1)]))
    assert game.view().marks == "F2..."
    assert "and the cells named after it are not opened. This alone does not end the game." in text
    game.take(Turn(open=[(0, 2), (0, 3)]))
    assert game.view().marks == "F2*.."
    assert "Detonated mines still count in clues and in the number of mines on the board." in text
    assert game.view().mines == 2
    assert "its covered neighbours are opened too" in text
    game.take(Turn(open=[(0, 4), (0, 3)]))
    assert game.view().marks == "F2*10"
    assert "or that the same turn has already opened, is skipped" in text
    assert game.ending is Ending.FINISHED
    assert "The game ends after a turn when every cell is open, flagged or detonated." in text


def test_floods_spare_flags_as_the_prompt_says() -> None:
    game = Game(Board.parse(".....*"))
    game.take(Turn(flag=[(0, 2)]))
    game.take(Turn(open=[(0, 0)]))
    assert game.view().marks == "00F..."
    assert "except flagged ones" in rules(game.view(), 2)


def test_the_end_is_what_the_prompt_says_where_a_mine_ends_the_game() -> None:
    text = rules(View.parse("1 3 1 on_mine=end\n..."), 2)
    assert "The game ends when a mine is opened, or as soon as every cell without a mine is open." in text
    game = Game(Board.parse("*.."), Rules("end"))
    game.take(Turn(open=[(0, 1), (0, 2), (0, 0)]))
    assert game.ending is Ending.WON, "the mine after the last safe cell is not opened"
    game = Game(Board.parse("*.."), Rules("end"))
    game.take(Turn(open=[(0, 0), (0, 1)]))
    assert (game.ending, game.result().opened) == (Ending.LOST, 0)


def test_a_game_may_take_as_many_turns_as_the_prompt_says() -> None:
    game = Game(Board.parse("*.."))
    assert "A game may take at most 28 turns; one more turn loses it." in rules(game.view(), 2)
    for _ in range(14):
        game.take(Turn(flag=[(0, 0)]))
        game.take(Turn(unflag=[(0, 0)]))
    assert not game.over
    game.take(Turn(open=[(0, 1)]))
    assert game.ending is Ending.STALLED


def test_a_turn_may_name_as_many_cells_as_the_prompt_says() -> None:
    game = Game(Board.parse("*.."))
    assert "names more than 28 cells" in rules(game.view(), 2)
    game.take(Turn(flag=[(0, 0)] * 28))
    with pytest.raises(IllegalMove, match="named more than 28 cells"):
        game.take(Turn(open=[(0, 1)] * 29))


def test_a_game_may_name_as_many_cells_as_the_prompt_says() -> None:
    game = Game(Board.parse("*...\n....\n...."))
    assert "all turns of the game together then name more than 2048 cells." in rules(game.view(), 2)
    for _ in range(16):
        game.take(Turn(flag=[(0, 0)] * 64))
        game.take(Turn(unflag=[(0, 0)] * 64))
    check_legal(Turn(open=[(0, 1)]), game.view(), 2047)
    with pytest.raises(BadAnswer, match="named more than 2048 cells together with the turns before"):
        check_legal(Turn(open=[(0, 1)]), game.view(), 2048)
    with pytest.raises(IllegalMove, match="named more than 2048 cells in all its turns"):
        game.take(Turn(open=[(0, 1)]))


def test_cells_before_a_mine_of_the_same_turn_are_opened() -> None:
    game = Game(Board.parse("*.*.."))
    game.take(Turn(open=[(0, 1), (0, 2), (0, 3)]))
    assert game.view().marks == ".2*.."


def test_the_last_cell_may_be_a_mine_that_ends_the_game() -> None:
    """Not by the mine alone: no cell is left."""
    game = Game(Board.parse(".*"))
    game.take(Turn(open=[(0, 0)]))
    game.take(Turn(open=[(0, 1)]))
    assert (game.ending, game.result().won) == (Ending.FINISHED, False)


def test_a_board_that_is_clear_but_not_flagged_is_won_by_giving_up() -> None:
    text = rules(View.parse("1 3 1\n..."), 2)
    assert "You win if every cell without a mine is open at the end and no mine was detonated." in text
    game = Game(Board.parse("*.."))
    game.take(Turn(open=[(0, 2)]))
    assert game.view().marks == ".10"
    assert not game.over
    game.take(Turn())
    assert (game.ending, game.result().won) == (Ending.GAVE_UP, True)


@pytest.mark.parametrize("first_click", ["any", "safe", "opening"])
def test_a_protected_first_click_is_not_promised_once_it_is_over(first_click: str) -> None:
    """A model that sees the position only would take the first cell that it opens now for the protected one."""
    head = f"3 4 3 first_click={first_click}"
    before = rules(View.parse(f"{head}\n....\n..F.\n...."), 2)
    for position in ("1...\n....\n....", *(["*...\n....\n...."] if first_click == "any" else [])):
        after = rules(View.parse(f"{head}\n{position}"), 2)
        assert "No cell has been opened yet." in before
        assert "yet" not in after
        assert "first cell that was opened in this game" in after
        assert "The first one" not in after
        assert "first one that you open" not in after


@pytest.mark.parametrize("source", ["uniform", "clustered", "no-guess", "file"])
@pytest.mark.parametrize("first_click", ["safe", "opening"])
def test_the_first_click_is_protected_on_every_kind_of_board(source: str, first_click: str, tmp_path: Path) -> None:
    """Files have their mines before the first click, but those that are in its way move."""
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "one.txt").write_text("*....\n.*...\n.....\n.....\n.....\n")
    spec = Spec("file", {"path": str(tmp_path / "boards")}) if source == "file" else Spec(source)
    setup = GameSetup(Size(5, 5, 2), rules=Rules("end", first_click), source=spec)  # type: ignore[arg-type]
    game = setup.game(Registry.default())
    game.take(Turn(open=[(0, 0)]))
    assert game.ending is not Ending.LOST
    assert first_click == "safe" or game.view().clue((0, 0)) == 0


@pytest.mark.parametrize("name", ["hidden", "optimistic", "cautious", "liar"])
@pytest.mark.parametrize("blanks", [False, True])
def test_the_words_of_a_noise_have_its_probabilities(name: str, blanks: bool) -> None:
    """The distribution as the sentences put it, against the table that the referee draws from."""
    rate = 0.3
    noise = Registry.default().noise(f"{name}(rate={rate}, blanks={str(blanks).lower()})")
    least = 0 if blanks else 1
    for n in range(9):
        for k in range(n + 1):
            others: list[int] = {
                "hidden": [WITHHELD],
                "optimistic": [*range(least, k)],
                "cautious": [*range(k + 1, n + 1)],
                "liar": [clue for clue in (k - 1, k + 1) if least <= clue <= n],
            }[name]
            expected = np.zeros(10)
            expected[k] = 1
            if others and (blanks or k > 0):
                expected[k] = 1 - rate
                expected[others] = rate / len(others)
            assert noise.table[n, k] == pytest.approx(expected), (n, k)


@pytest.mark.parametrize("template", ["nothing", "{rules} {position}", "{answer}"])
def test_a_template_without_position_or_answer_is_refused(template: str) -> None:
    with pytest.raises(ParameterError, match="expected a name"):
        LanguageModel("m", template=template)
