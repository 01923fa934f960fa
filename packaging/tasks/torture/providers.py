"""Model servers that mean harm, in every dialect: memory and time stay bounded, the error is plain, text that came is kept."""

import queue
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from tasks.torture import hostile_server
from tasks.torture.client import Client, Message, Refused
from tasks.torture.fault import Outcome, Wish
from tasks.torture.hostile_server import ATTACKS, FIRST_WORDS, Attack, HostileServer
from tasks.torture.reader import megabytes

DIALECTS = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama")
KEY = "sk-torture-0123456789abcdef"
MAX_GROWTH_MB = 350
# With two retries, and on a busy machine. What goes on for ever is stopped after STOP_AFTER_S, and is over soon then.
MAX_TURN_S = 150.0
STOP_AFTER_S = 2.0


def run(wish: Wish) -> Outcome:
    """Let servers attack `wish.size` times: every attack in every dialect, in an order of chance."""
    outcome = Outcome("providers", wish.seed)
    heard: queue.Queue[Message] = queue.Queue()
    with tempfile.TemporaryDirectory(prefix="sidekeep-torture-") as folder, hostile_server.running() as server:
        # The key is kept in the file: no test of a machine's own key store.
        environment = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}

        def hear(message: Message) -> None:
            if message.get("method") == "turn.delta":
                server.heard.set()
            heard.put(message)

        with Client(Path(folder), environment=environment, heard=hear) as host:
            host.hello()
            before = megabytes(host.process.pid)
            for kind in DIALECTS:
                _choose(host, server, kind)
                _redirected(host, heard, server, kind, outcome)
            every = [(kind, name) for kind in DIALECTS for name in ATTACKS]
            for kind, name in random.Random(wish.seed).sample(every, min(wish.size, len(every))):
                if wish.has_time:
                    _choose(host, server, kind)
                    server.heard.clear()
                    server.attack, server.delta = ATTACKS[name], hostile_server.delta_of(kind)
                    _attacked(host, heard, server.attack, f"{kind}, {name}", outcome)
                    grown = megabytes(host.process.pid) - before
                    outcome.counts["MB grown"] = max(grown, outcome.counts.get("MB grown", 0))
                    if grown > MAX_GROWTH_MB:
                        outcome.find(f"{kind}, {name}: the host has grown by {grown} MB")
        log = Path(folder) / "logs" / "host.log"
        if log.exists() and KEY in log.read_text("utf-8"):
            outcome.find("the key is in the log")
    outcome.counts["MB sent"] = server.sent >> 20
    return outcome


def _choose(host: Client, server: HostileServer, kind: str) -> None:
    provider = {"kind": kind, "baseUrl": f"http://127.0.0.1:{server.port}/v1", "model": "hostile", "window": 8192}
    host.request("storage.set", items={"providers": {"hostile": provider}, "activeProvider": "hostile"})
    host.request("secrets.set", provider="hostile", apiKey=KEY)


def _redirected(
    host: Client, heard: "queue.Queue[Message]", server: HostileServer, kind: str, outcome: Outcome
) -> None:
    server.redirects = True
    ended = _ask(host, heard, stop=False)
    server.redirects = False
    outcome.count("redirects")
    if server.told_elsewhere:
        outcome.find(f"{kind}: a redirect was followed to another host")
    if "error" not in ended:
        outcome.find(f"{kind}: a redirect was no failure")


def _attacked(host: Client, heard: "queue.Queue[Message]", attack: Attack, where: str, outcome: Outcome) -> None:
    started = time.monotonic()
    ended = _ask(host, heard, stop=attack.stopped)
    outcome.count("attacks")
    seconds = time.monotonic() - started
    slowest = outcome.counts.get("seconds of the longest", 0)
    outcome.counts["seconds of the longest"] = max(slowest, round(seconds))
    if not ended:
        outcome.find(f"{where}: the turn did not end within {MAX_TURN_S:.0f} s")
        return
    error: Any = ended.get("error")
    if error is not None and (error["data"]["kind"] != "provider_failed" or not error["message"].endswith(".")):
        outcome.find(f"{where}: {error['data']['kind']}: {error['message']}")
    kept = ended.get("message")
    if attack.keeps and (kept is None or FIRST_WORDS not in kept["content"] or not kept.get("interrupted")):
        outcome.find(f"{where}: the text that had come was not kept as interrupted")
    if error is None and not attack.keeps:
        outcome.find(f"{where}: was taken for an answer")
    host.request("ping")


def _ask(host: Client, heard: "queue.Queue[Message]", *, stop: bool) -> Message:
    """One question in a new chat; what its last notification says, {} where none comes in time."""
    host.request("history.clear")
    while not heard.empty():
        heard.get_nowait()
    try:
        turn = host.request("turn.send", text="What blinks?")["turn"]
    except Refused as refused:
        return {"error": {"message": refused.message, "data": {"kind": refused.kind}}}
    if stop:
        time.sleep(STOP_AFTER_S)
        host.request("turn.cancel", turn=turn)
    end = time.monotonic() + MAX_TURN_S
    while (left := end - time.monotonic()) > 0:
        try:
            message = heard.get(timeout=left)
        except queue.Empty:
            break
        if message.get("method") in ("turn.done", "turn.failed") and message["params"]["turn"] == turn:
            params: Message = message["params"]
            return params
    return {}
