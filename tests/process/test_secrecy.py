"""Texts and keys stay where they belong: not in the log, the arguments, the environment or a reply."""

from pathlib import Path

import pytest
from tests.browser.model_server import ModelServer
from tests.support.every_method import call_everything
from tests.support.host import RunningHost, WireError

MARKER = "Zwiebelfisch-4711"


def test_no_text_and_no_key_reaches_the_log_or_the_process_table(home: Path, model: ModelServer) -> None:
    home.mkdir()
    (home / "settings.toml").write_text('[log]\nlevel = "debug"\n', "utf-8")
    with RunningHost(home) as host:
        for _ in call_everything(host, model, MARKER):
            pass
        _provoke_every_error(host, model)
        proc = Path("/proc") / str(host.process.pid)
        seen = (proc / "cmdline").read_bytes() + (proc / "environ").read_bytes()
        host.end()
        assert host.log() != ""
        everything = seen + b"".join(path.read_bytes() for path in (home / "logs").iterdir()) + host.errors
        assert MARKER.encode() not in everything


def test_no_reply_holds_a_key(home: Path, model: ModelServer) -> None:
    with RunningHost(home) as host:
        for _ in call_everything(host, model, MARKER):
            pass
        assert f"key-{MARKER}" not in repr(host.messages)


def test_the_key_is_in_no_file_but_the_key_file(home: Path, host: RunningHost, model: ModelServer) -> None:
    provider = {**model.provider(), "apiKey": f"key-{MARKER}"}
    host.request("storage.set", items={"providers": {"test": provider}})
    host.end()
    holding = {
        path.name for path in home.rglob("*") if path.is_file() and f"key-{MARKER}".encode() in path.read_bytes()
    }
    assert holding == {"secrets.json"}


def _provoke_every_error(host: RunningHost, model: ModelServer) -> None:
    """Bad input of each kind, the marker in all of it."""
    host.send(f'{{"{MARKER}'.encode())
    host.send([MARKER])
    host.send({"jsonrpc": "2.0", "id": 1, "method": f"no.{MARKER}"})
    host.send({"jsonrpc": "2.0", "method": "ping", "params": MARKER})
    host.send({"jsonrpc": "2.0", "part": {"stream": MARKER, "seq": 5, "last": False, "text": MARKER}})
    wrong: dict[str, dict[str, object]] = {
        "storage.set": {"items": MARKER},
        "storage.get": {"keys": [1, MARKER]},
        "history.append": {"message": {"role": 1, "content": MARKER}},
        "history.remove": {"id": MARKER},
        "image.get": {"ref": MARKER},
        "sessions.load": {"id": MARKER},
        "sessions.rename": {"id": 1, "name": MARKER},
        "attachments.get": {"attachId": MARKER},
        "turn.send": {"text": MARKER, "provider": MARKER},
        "turn.cancel": {"turn": MARKER},
        "secrets.set": {"provider": MARKER, "apiKey": MARKER},
        "providers.models": {"provider": MARKER},
    }
    for method, params in wrong.items():
        with pytest.raises(WireError):
            host.request(method, **params)
    model.status = 401
    host.request("storage.set", items={"providers": {"test": model.provider()}, "activeProvider": "test"})
    turn = host.request("turn.send", text=MARKER)["turn"]
    host.wait_for(lambda message: message.get("method") == "turn.failed" and message["params"]["turn"] == turn)
