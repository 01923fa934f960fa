"""A host beside Sidekeep's: the smallest one that Python can be, which echoes, or sends the same bytes in the same frames.

What takes longer with Sidekeep's host than with this one is Sidekeep's; what this one takes, no native host can save.
"""

import contextlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from tasks.bench.host import LENGTH
from tasks.bench.worker import Worker
from tasks.places import ORIGIN, VENV_PYTHON

SOURCE = Path(__file__).with_name("smallest_host.py")
# Posts a message and gives what comes back, parts joined. One question at a time.
OPEN = """
const port = chrome.runtime.connectNative(%s);
const texts = [];
let answer;
port.onMessage.addListener((message) => {
  if (!message.part) return answer(message);
  texts.push(message.part.text);
  if (message.part.last) answer(JSON.parse(texts.splice(0).join("")));
});
self[%s] = (message) => new Promise((resolve) => { answer = resolve; port.postMessage(message); });
"""


def once(name: str) -> str:
    """Statements that start such a host, and end when it has sent one message back."""
    return (
        f"const port = chrome.runtime.connectNative({json.dumps(name)}); "
        "await new Promise((heard) => { port.onMessage.addListener(heard); port.postMessage({}); }); port.disconnect()"
    )


def open_port(worker: Worker, name: str, frames: Sequence[bytes] = (), *, keeps: bool = False) -> None:
    """Start such a host and have a function of that name in the worker that asks it.

    `frames`: the payloads that answer each message; without any the message itself comes back. `keeps`: it is committed first.
    """
    worker.run(OPEN % (json.dumps(install(worker.browser.profile, name, frames, keeps=keeps)), json.dumps(name)))


def install(profile: Path, name: str, frames: Sequence[bytes] = (), *, keeps: bool = False) -> str:
    """Tell the browser of such a host. Returns the name to connect to."""
    folder = profile / f"host-{name}"
    folder.mkdir()
    program = folder / "host"
    program.write_text(f"#!{VENV_PYTHON} -IS\n{SOURCE.read_text(encoding='utf-8')}", encoding="utf-8")
    program.chmod(0o700)
    if frames:
        (folder / "reply").write_bytes(b"".join(LENGTH.pack(len(frame)) + frame for frame in frames))
    if keeps:
        with contextlib.closing(sqlite3.connect(folder / "rows")) as rows:
            rows.execute("PRAGMA journal_mode = WAL")
            rows.execute("CREATE TABLE rows (message BLOB NOT NULL)")
    about = {
        "name": f"dev.sidekeep.{name}",
        "description": "The smallest host",
        "path": str(program),
        "type": "stdio",
        "allowed_origins": [ORIGIN],
    }
    file = profile / "NativeMessagingHosts" / f"dev.sidekeep.{name}.json"
    file.write_text(json.dumps(about), encoding="utf-8")
    return f"dev.sidekeep.{name}"
