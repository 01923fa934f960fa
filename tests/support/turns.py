"""Asking a model through a running host."""

from typing import Any

from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost


def choose(host: RunningHost, model: ModelServer) -> None:
    """Make `model` the active provider, as the settings page does."""
    host.request("storage.set", items={"providers": {"test": model.provider()}, "activeProvider": "test"})


def ask_halfway(host: RunningHost, model: ModelServer, text: str) -> str:
    """Ask, and return the turn's id when half of the answer has come and the rest is held back."""
    model.gate.clear()
    turn: str = host.request("turn.send", text=text)["turn"]
    host.wait_for(lambda message: message.get("method") == "turn.delta" and message["params"]["text"] == model.words[1])
    return turn


def ask(host: RunningHost, text: str, **params: Any) -> Any:
    """Ask, and return the answer as it was stored."""
    turn = host.request("turn.send", text=text, **params)["turn"]
    ended = host.wait_for(
        lambda message: message.get("method") in ("turn.done", "turn.failed") and message["params"]["turn"] == turn
    )
    return ended["params"]


def stored_messages(host: RunningHost) -> list[dict[str, Any]]:
    """The live conversation without pixels."""
    found: list[dict[str, Any]] = host.request("history.get", pixels="none")["messages"]
    return found
