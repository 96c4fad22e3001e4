"""`llm`: a language model behind any chat endpoint that speaks OpenAI's protocol.

Each turn is one request: the rules and the position in words, taken from the view (`prompts.py`), and the form of the
answer (`answers.py`). The model remembers nothing of earlier turns, since a view contains all that is known. An answer
that is cut off, empty, unreadable or illegal is not used: the model learns what was wrong and is asked again,
up to `attempts` times in all. Then the game is lost by a fault of that kind.

The address and the key of the endpoint are in the environment (`endpoint.py`): SWEEPSTAKES_LLM_URL and
SWEEPSTAKES_LLM_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY. They are not parameters, because parameters are part of the
label, the identity and the publication of an agent. The agent is built in, so it runs in the worker and not in a host:
a sealed host has no network. What comes from the network is only data, whose length is bounded and whose content is
checked.

Worked example, on the position

    0 1 .
    0 1 1
    0 0 0

with one mine: the model reads the grid with its row and column numbers, and answers `{"open": [], "flag": [{"row": 0,
"col": 2}], "unflag": [], "why": "proof", "probability": null}`. The turn flags (0, 2) as proven.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from sweepstakes import Agent, ParameterError, Turn, View, hookimpl
from sweepstakes.game.faults import AgentFault, Fault
from sweepstakes.game.transcript import shorten
from sweepstakes.plugins.agents.llm import answers, cache, prompts
from sweepstakes.plugins.agents.llm.answers import BadAnswer
from sweepstakes.plugins.agents.llm.endpoint import Endpoint, EndpointError, Usage, read_kept

PRICES = "SWEEPSTAKES_LLM_PRICES"
MAX_QUOTED = 4000
"""Maximum length of an unused answer that is shown to the model again, in characters."""


class LanguageModel(Agent):
    """Asks a language model, behind a chat endpoint that SWEEPSTAKES_LLM_URL names, for each turn."""

    version = 3
    repeatable = False

    def __init__(
        self,
        model: str,
        view: Literal["grid", "coordinates", "constraints", "json"] = "grid",
        answer: Literal["json", "tool", "text"] = "json",
        template: str = "standard",
        attempts: int = 2,
        max_tokens: int = 4096,
        temperature: float | None = None,
        options: dict[str, Any] | None = None,
        request_seconds: float = 120,
        retries: int = 5,
    ) -> None:
        for name, value, low, high in (
            ("attempts", attempts, 1, 10),
            ("max_tokens", max_tokens, 1, 1_000_000),
            ("request_seconds", request_seconds, 0.01, 3600),
            ("retries", retries, 0, 20),
        ):
            if not low <= value <= high:
                raise ParameterError(f"{name} {value}: expected {low:g} to {high:g}")
        if not model:
            raise ParameterError("model: expected the name by which the endpoint knows the model")
        self.model = model
        self.form = view
        self.answer = answer
        self.template = prompts.check_template(template)
        self.attempts = attempts
        self.request_seconds = request_seconds
        self.retries = retries
        self._fields: dict[str, Any] = {"model": model, **answers.request_fields(answer)}
        if not {"max_tokens", "max_completion_tokens"} & (options or {}).keys():
            self._fields["max_tokens"] = max_tokens
        if temperature is not None:
            self._fields["temperature"] = temperature
        self._fields |= options or {}
        self.turn_seconds = request_seconds * attempts
        self.endpoint: Endpoint | None = None
        self.usage = Usage()
        """The tokens, requests and seconds that this game has taken so far."""
        self._transcript: list[str] = []
        self._named = 0
        """Number of cells that the turns of this game have named."""

    def act(self, view: View) -> Turn:
        """Return the turn that the model states. Raise `AgentFault` if none of `attempts` answers states a turn."""
        asked: list[dict[str, Any]] = [*self.prompt(view)]
        self._transcript.append("")
        for attempt in range(1, self.attempts + 1):
            reply = self._ask(asked)
            try:
                turn = answers.read(reply, self.answer, view, self._named)
            except BadAnswer as bad:
                self._transcript[-1] += f"\n[not used: it {bad.what}]\n"
                if attempt == self.attempts:
                    raise AgentFault(Fault(bad.kind, bad.what)) from None
                asked += [
                    {"role": "assistant", "content": _stated(reply)},
                    {"role": "user", "content": _complaint(bad)},
                ]
            else:
                self._named += answers.count_named(turn)
                return turn
        raise AssertionError("unreachable")

    @property
    def spent(self) -> Mapping[str, float | None]:
        """Tokens, their price, requests and seconds of the game."""
        prompt, completion, reasoning, calls, retries, seconds, lost = map(float, self.usage)
        return {
            "tokens": prompt + completion,
            "cost": price_of(self.model, self.usage),
            "prompt-tokens": prompt,
            "completion-tokens": completion,
            "reasoning-tokens": reasoning,
            "calls": calls,
            "retries": retries,
            "answer-seconds": round(seconds, 3),
            "lost-seconds": round(lost, 3),
        }

    @property
    def transcript(self) -> Sequence[str]:
        """What the model answered in each turn, including thoughts and unused answers."""
        return self._transcript

    def prompt(self, view: View) -> list[prompts.Message]:
        """Return the messages that ask for a turn."""
        return prompts.messages(view, self.form, self.template, answers.instructions(self.answer), self.attempts)

    def _ask(self, asked: list[dict[str, Any]]) -> answers.Reply:
        """Return the model's reply. Raise `EndpointError`, which is not the model's fault, if there is no reply."""
        if self.endpoint is None:
            self.endpoint = Endpoint()
        body = {**self._fields, "messages": asked}
        key = "" if self._seed is None else cache.key_of(self.endpoint.url, self._seed, self.usage.calls, body)
        completion = None
        if key and (kept := cache.find(key)) is not None:
            completion = read_kept(kept)
        if completion is None:
            completion = self.endpoint.ask(body, seconds=self.request_seconds, retries=self.retries)
            if key:
                cache.keep(key, completion.data)
        self.usage = self.usage.plus(completion.usage)
        self.lost_seconds = self.usage.lost_seconds
        self._transcript[-1] += shorten(completion.content)
        return completion.reply


def price_of(model: str, usage: Usage) -> float | None:
    """Return what the tokens cost by the file that SWEEPSTAKES_LLM_PRICES names; None if it has no price for the model.

    The file is JSON: by model, the prices of a million tokens, as in {"my-model": {"prompt": 0.15, "completion": 0.6}}.
    """
    file = os.environ.get(PRICES)
    if not file:
        return None
    try:
        prices = json.loads(Path(file).read_text(encoding="utf-8")).get(model)
        if prices is None:
            return None
        millions = usage.prompt_tokens * float(prices["prompt"]) + usage.completion_tokens * float(prices["completion"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise EndpointError(
            f'{PRICES}: expected a file with JSON as {{"my-model": {{"prompt": 0.15, "completion": 0.6}}}}'
        ) from None
    return millions / 1e6


def _stated(reply: answers.Reply) -> str:
    """Return a reply as it is shown to the model again. It is never empty, because some endpoints refuse empty
    messages."""
    calls = [f"{name}({arguments})" for name, arguments in reply.calls]
    return "\n".join([reply.text, *calls]).strip()[:MAX_QUOTED] or "(no answer)"


def _complaint(bad: BadAnswer) -> str:
    """Return the message to a model about an answer that was not used."""
    return f"Your answer was not used: it {bad.what}. The position is unchanged. Answer again, in the form asked for."


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `llm`."""
    return {"llm": LanguageModel}
