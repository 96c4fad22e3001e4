"""The agent `llm` in games, against an endpoint that answers by a script."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from said import Said
from scripted_endpoint import (
    KEY,
    Endpoint,
    Script,
    Step,
    in_order,
    plays,
    says,
    serve_fixture,  # noqa: F401 - the fixture `serve`
    status,
    turn_text,
)

from sweepstakes import Board, Game, ParameterError, Registry, Rules, Spec, play_game
from sweepstakes.game.playing import Played
from sweepstakes.plugins.agents.llm import LanguageModel
from sweepstakes.plugins.agents.llm.endpoint import EndpointError

BOARD = Board.parse("..*\n...\n*..")


def play(**parameters: Any) -> Played:
    return play_game(
        Game(BOARD, Rules("end")), functools.partial(LanguageModel, "m", retries=0, **parameters), keep_turns=True
    )


def test_a_model_plays_a_game(serve: Callable[[Script], Endpoint]) -> None:
    endpoint = serve(
        in_order(
            plays(open=[(1, 1)], why="guess", probability=0.2),
            plays(open=[(0, 0), (2, 2), (1, 2)], flag=[(0, 2)], why="proof"),
        )
    )
    played = play()
    assert (played.result.ending, played.result.turns, played.result.right_flags) == ("won", 2, 1)
    assert played.turns is not None
    assert [(turn.why, turn.probability) for turn in played.turns] == [("guess", 0.2), ("proof", None)]
    assert [message["role"] for message in endpoint.requests[1]["messages"]] == ["system", "user"]
    assert endpoint.requests[0]["model"] == "m"
    assert endpoint.requests[0]["response_format"]["type"] == "json_schema"
    assert endpoint.requests[0]["max_tokens"] == 4096


BAD: list[tuple[Step, str, str]] = [
    (says("x", finish="length"), "truncated answer", "gave an answer that was cut off: it was longer than allowed"),
    (says(""), "empty answer", "gave an answer that was empty"),
    (says("I open the corner."), "unreadable answer", "gave an answer that had no JSON object of the form asked for"),
    (plays(open=[(9, 9)]), "illegal move", "gave an answer that opened (9, 9), which is not on the board"),
]


@pytest.mark.parametrize(("bad", "ending", "fault"), BAD)
def test_a_model_is_told_once_what_was_wrong_and_then_loses_by_that_fault(
    serve: Callable[[Script], Endpoint], bad: Step, ending: str, fault: str
) -> None:
    endpoint = serve(in_order(bad))
    result = play().result
    assert result.ending == ending
    assert result.fault.startswith(f"agent 'agent' {fault}")
    assert len(endpoint.requests) == 2
    told = endpoint.requests[1]["messages"]
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user"]
    assert told[:2] == endpoint.requests[0]["messages"]
    assert told[2]["content"]
    assert fault.removeprefix("gave an answer that ") in told[3]["content"]


@pytest.mark.parametrize(("bad", "ending", "fault"), BAD)
def test_a_second_answer_that_is_legal_counts(
    serve: Callable[[Script], Endpoint], bad: Step, ending: str, fault: str
) -> None:
    endpoint = serve(in_order(bad, plays(open=[(0, 2)])))
    assert play().result.ending == "lost", "by the mine that it opened"
    assert len(endpoint.requests) == 2


def test_the_last_kind_of_fault_is_the_one_of_the_game(serve: Callable[[Script], Endpoint]) -> None:
    serve(in_order(says("hm"), says("")))
    assert play().result.ending == "empty answer"


def test_an_agent_counts_the_cells_that_it_has_named(serve: Callable[[Script], Endpoint]) -> None:
    flag, unflag = plays(flag=[(0, 0)] * 52), plays(unflag=[(0, 0)] * 52)
    serve(in_order(*[flag, unflag] * 16, plays(open=[(1, 1)])))
    result = play(attempts=1).result
    assert (result.ending, result.turns) == ("illegal move", 32)
    assert "named more than 1664 cells together with the turns before" in result.fault


@pytest.mark.parametrize("attempts", [1, 3])
def test_attempts_are_as_many_as_asked_for(serve: Callable[[Script], Endpoint], attempts: int) -> None:
    endpoint = serve(in_order(says("")))
    assert play(attempts=attempts).result.ending == "empty answer"
    assert len(endpoint.requests) == attempts


def test_a_tool_call_and_a_line_of_text_are_answers_too(serve: Callable[[Script], Endpoint]) -> None:
    endpoint = serve(in_order(says(calls=[turn_text(open=[(0, 2)])])))
    assert play(answer="tool").result.ending == "lost"
    assert endpoint.requests[0]["tool_choice"]["function"]["name"] == "play"
    endpoint = serve(in_order(says("Hm.\nANSWER open=0,2 why=random")))
    assert play(answer="text").result.ending == "lost"
    assert not {"tools", "response_format"} & endpoint.requests[0].keys()


def test_an_answer_without_cells_gives_up(serve: Callable[[Script], Endpoint]) -> None:
    serve(in_order(plays()))
    assert play().result.ending == "gave up"


def test_options_go_into_the_request(serve: Callable[[Script], Endpoint]) -> None:
    endpoint = serve(in_order(plays()))
    play(temperature=0.5, options={"max_completion_tokens": 9, "reasoning_effort": "low"})
    asked = endpoint.requests[0]
    assert (asked["temperature"], asked["max_completion_tokens"], asked["reasoning_effort"]) == (0.5, 9, "low")
    assert "max_tokens" not in asked


def test_an_endpoint_that_fails_is_no_fault_of_the_agent(serve: Callable[[Script], Endpoint]) -> None:
    serve(in_order(status(503)))
    with pytest.raises(EndpointError, match="answered with status 503"):
        play()


def test_usage_adds_up_over_a_game(serve: Callable[[Script], Endpoint]) -> None:
    serve(in_order(says("hm"), plays(open=[(0, 0)])))
    agent = LanguageModel("m")
    agent.act(Game(BOARD).view())
    assert (agent.usage.prompt_tokens, agent.usage.completion_tokens, agent.usage.calls) == (200, 20, 2)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({}, "needs the parameter 'model'"),
        ({"model": ""}, "expected the name by which the endpoint knows the model"),
        ({"model": "m", "view": "picture"}, "view"),
        ({"model": "m", "attempts": 0}, "attempts 0: expected 1 to 10"),
        ({"model": "m", "url": "http://a"}, "has no parameter 'url'"),
    ],
)
def test_bad_parameters_are_one_line(parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        Registry.default().agent(Spec("llm", parameters))


def test_no_file_of_a_run_has_the_key_or_the_address(
    serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    endpoint = serve(in_order(plays(open=[(0, 2)]), says("")))
    (tmp_path / "t.yaml").write_text(
        "boards: 3x3/2\ngames: 2\nseed: 1\nexecutor: serial\nmoves: all\nrules: {on_mine: end}\n"
        'agents: [random, {agent: llm, model: "m"}]\nscores: [win]\n'
    )
    said = sweepstakes("run", "t.yaml", "--out", "run", "--log", "log.txt", "-v")
    assert said.code == 0, said.err
    assert sweepstakes("publish", "run", "--to", "public").code == 0
    port = endpoint.url.split(":")[2].partition("/")[0]
    for file in tmp_path.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            assert KEY.encode() not in data, file
            assert f"127.0.0.1:{port}".encode() not in data, file
    assert KEY not in said.out + said.err
