"""The registered program, started as a browser starts it, and once more as a browser that was started from a menu does."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sidekeep import __version__, program
from sidekeep.install.doctor.executable import MENU_PATH
from sidekeep.install.doctor.finding import Finding, fine, warning
from sidekeep.install.manifest import origin
from sidekeep.install.start import END_S, REPLY_S, NoReply, NotStarted, Started, announced
from sidekeep.protocol import PROTOCOL_VERSION

SUBJECT = "The host"
SHOWN_CHARS = 60
# What a session gives every program; a terminal's own variables are what a menu's start lacks.
KEPT_VARIABLES = (
    *("HOME", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "SIDEKEEP_HOME", "DBUS_SESSION_BUS_ADDRESS"),
    *("SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "TEMP", "TMP"),
)


def examine(path: Path, extension_id: str) -> list[Finding]:
    """Start the program, greet it, ask what it has to tell, end it; then the same in a bare environment."""
    findings = list(_first(path, extension_id))
    if all(finding.severity != "error" for finding in findings):
        findings += _again(path, extension_id)
    return findings


def hello() -> dict[str, Any]:
    """The parameters of a greeting, in the name of this version's extension."""
    return {"client": "doctor", "version": __version__, "protocol": PROTOCOL_VERSION}


def minimal_environment() -> dict[str, str]:
    """What is left of the environment for a browser that was started from a menu."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "PATH": MENU_PATH}


def _first(path: Path, extension_id: str) -> Iterator[Finding]:
    try:
        started = Started(path, origin(extension_id))
    except NotStarted as exc:
        yield Finding(SUBJECT, "not_started", f"The system does not start {path}: {exc}.")
        return
    with started:
        try:
            reply = started.request("hello", **hello())
            yield from _greeted(path, reply, extension_id)
            if "result" in reply:
                yield from _told(started)
        except NoReply as exc:
            started.end()
            yield _without_reply(path, exc, started.errors)
            return
        ended = started.end()
    if ended.status is None:
        yield Finding(SUBJECT, "host_lingers", f"{path} was still there {END_S:.0f} s after the browser had gone.")
    elif ended.status != 0:
        yield Finding(SUBJECT, "host_status", f"{path} left with status {ended.status} and not 0.")
    else:
        yield fine(SUBJECT, f"It leaves {ended.seconds * 1000:.0f} ms after the browser.")


def _greeted(path: Path, reply: dict[str, Any], extension_id: str) -> Iterator[Finding]:
    error, result = reply.get("error"), reply.get("result")
    if isinstance(error, dict):
        yield _refused(path, error, extension_id)
    elif not isinstance(result, dict) or result.get("server") != "sidekeep":
        yield Finding(SUBJECT, "other_host", f"{path} answers, and is not Sidekeep's host: run `sidekeep install`.")
    elif result.get("version") != __version__:
        theirs = result.get("version")
        message = f"{path} is Sidekeep {theirs}, and this is {__version__}: let browsers start this one with `sidekeep install`."
        yield warning(SUBJECT, "other_version", message)
    else:
        yield fine(SUBJECT, f"{path} answers as Sidekeep {__version__}.")


def _refused(path: Path, error: dict[str, Any], extension_id: str) -> Finding:
    data = error.get("data") or {}
    kind, said = str(data.get("kind", "internal")), str(error.get("message", ""))
    if kind == "forbidden_origin":
        message = (
            f"The host turns {extension_id} away: let it in with `sidekeep install --allow-extension {extension_id}`."
        )
        return Finding(SUBJECT, "origin_refused", message)
    if kind == "protocol_mismatch":
        return Finding(SUBJECT, "protocol_mismatch", said)
    return Finding(SUBJECT, kind, f"{path} starts and then refuses: {said}")


def _told(started: Started) -> Iterator[Finding]:
    """What the host knows to be wrong, and whether the model that is chosen can be reached."""
    status = started.request("status").get("result", {})
    for notice in status.get("notices", []):
        if notice["kind"] != "model":
            yield warning(SUBJECT, f"notice_{notice['kind']}", notice["message"])
    chosen = started.request("storage.get", keys={"activeProvider": "offline"})
    name = chosen.get("result", {}).get("items", {}).get("activeProvider")
    if name == "offline":
        told = [notice["message"] for notice in status.get("notices", []) if notice["kind"] == "model"]
        yield (
            warning("The model", "model_missing", told[0]) if told else fine("The model", "The offline model is there.")
        )
        return
    reply = started.request("providers.models", provider=name)
    if "error" in reply:
        yield warning("The model", "model_unreachable", f"{name}: {reply['error']['message']}")
    else:
        yield fine("The model", f"{name} answers.")


def _again(path: Path, extension_id: str) -> Iterator[Finding]:
    try:
        with Started(path, origin(extension_id), environment=minimal_environment(), stderr=False) as started:
            reply = started.request("hello", **hello())
        trouble = "" if "result" in reply else str(reply["error"].get("message", ""))
    except NotStarted as exc:
        trouble = str(exc)
    except NoReply as exc:
        trouble = _without_reply(path, exc, "").message
    if trouble:
        message = f"From a terminal {path} starts, but not as a browser started from the menu starts it: {trouble}"
        yield Finding(SUBJECT, "needs_environment", message)
    else:
        yield fine(SUBJECT, "It also starts with a bare environment and a closed stderr.")


def _without_reply(path: Path, exc: NoReply, errors: str) -> Finding:
    if exc.kind == "polluted":
        text = exc.raw.decode(errors="replace")
        shown = text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"
        message = f"{path} prints {shown!r} where its first message belongs; a browser takes that for {announced(exc.raw)} bytes."
        return Finding(SUBJECT, "stdout_polluted", message)
    if exc.kind == "silent":
        return Finding(SUBJECT, "host_silent", f"{path} starts and does not answer (waited for {REPLY_S:.0f} s).")
    last = errors.splitlines()[-1] if errors else "it said nothing"
    if missing := re.search(r"No module named '([\w.]+)'", errors):
        message = (
            f"{path} is run by a Python that has no {missing[1]}: install Sidekeep anew (`{program.update_command()}`)."
        )
        return Finding(SUBJECT, "wrong_interpreter", message)
    return Finding(SUBJECT, "host_ended", f"{path} ended with status {exc.status} before it answered ({last}).")
