"""Model servers that fail: a plain sentence in the panel, nothing lost, and the next question works."""

import socket
from dataclasses import dataclass

import pytest
from tests.browser.conftest import Person, choose, shot
from tests.browser.model_server import ModelServer

QUESTION = "Why twice?"
GARBAGE = b"\x00\xff<html>not an event stream</html>\n\n" * 20


@dataclass(frozen=True)
class Case:
    """How a server fails and what the panel must say of it."""

    said: str
    status: int = 200
    raw: bytes | None = None
    port_closed: bool = False


CASES = {
    "an unreachable server": Case(said="nothing listens there", port_closed=True),
    "a wrong key": Case(said="wants an API key", status=401),
    "a model that is not there": Case(said="knows no model “tiny”", status=404),
    "a stream of garbage": Case(said="not a chat answer", raw=GARBAGE),
}


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("case", list(CASES.values()), ids=list(CASES))
def test_the_panel_says_what_is_wrong_and_goes_on(
    person: Person, article: str, model: ModelServer, case: Case, request: pytest.FixtureRequest
) -> None:
    panel = person.open(article)
    model.status, model.raw = case.status, case.raw
    choose(panel, model, **({"baseUrl": f"http://127.0.0.1:{closed_port()}/v1"} if case.port_closed else {}))
    panel.send(QUESTION)
    said = panel.wait_alert()
    shot(panel, request.node.callspec.id)
    assert case.said in said
    assert "Traceback" not in said
    assert len(said) > 30, "a sentence"
    stored = panel.request("history.get", pixels="none")["messages"]
    assert QUESTION in [message["content"] for message in stored]

    model.status, model.raw = 200, None
    choose(panel, model)
    panel.send("And now?")
    panel.wait_shown("assistant", model.answer)
