"""The JSON Schema of tournament files, for editors."""

from __future__ import annotations

from typing import Any

from sweepstakes.tournaments.config.model import Tournament

_TEXTS = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_NAMED = {
    "type": "object",
    "properties": {
        "agent": False,
        "command": False,
        "as": {"type": "string"},
        "files": _TEXTS,
    },
    "additionalProperties": {"type": ["object", "null"]},
    "minProperties": 1,
    "maxProperties": 3,
}
"""An agent as `{NAME: {parameter: value, ...}}`, with or without `as` and `files`."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of tournament files: what `Tournament` accepts, short forms included."""
    schema = Tournament.model_json_schema(by_alias=True, mode="validation")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "sweepstakes tournament"
    properties = schema["properties"]
    for name in (
        "boards",
        "rules",
        "noise",
        "agents",
        "scores",
        "plugins",
    ):  # a list of one item may be written as the item
        items = properties[name]["items"]
        if name in ("boards", "agents"):  # and an item may be its name alone
            items = {"anyOf": [{"type": "string"}, items]}
        if name == "agents":
            items["anyOf"].append(_NAMED)
        listed = {"type": "array", "items": items, "minItems": 0 if name in ("scores", "plugins") else 1}
        about = {key: properties[name][key] for key in ("description",) if key in properties[name]}
        properties[name] = {"anyOf": [items, listed], **about}
    for name in ("preset", "size", "rows", "cols", "mines", "density"):
        boards = schema["$defs"]["Boards"]["properties"]
        listed = next((o for o in boards[name].get("anyOf", [boards[name]]) if o.get("type") == "array"), {})
        about = {key: boards[name][key] for key in ("description",) if key in boards[name]}
        boards[name] = {"anyOf": [listed["items"], {"type": "array", "items": listed["items"]}], **about}
    agent = schema["$defs"]["AgentItem"]
    agent["oneOf"] = [{"required": ["agent"]}, {"required": ["command"]}]
    for name in ("command", "files"):
        agent["properties"][name] = {**_TEXTS, "description": agent["properties"][name]["description"]}
    del agent["properties"]["agent"]["default"]  # it is no agent's name
    return schema
