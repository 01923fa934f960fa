"""A bundle for a bug report: findings, versions, the log, a crash. No chats, no keys, no names of people or servers."""

import getpass
import json
import platform
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sidekeep import __version__, paths, program
from sidekeep.domain.scope import is_extension_id
from sidekeep.errors import InstallFailed, SidekeepError
from sidekeep.install.doctor.finding import Finding
from sidekeep.install.machine import home as home_folder
from sidekeep.settings import file as settings_file

# What could be a key or a token: long, and of more than one kind of character.
SECRET = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}\b")
ADDRESS = re.compile(r"\b(https?)://[^\s/\"']+")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
KEPT_LOG_BYTES = 200_000
README = """A report of Sidekeep {version}, made by `sidekeep doctor report`.
It holds no chats and no keys; paths, names of servers and what looks like a key are replaced. Look through it before you send it.
"""


def write(target: Path, findings: Sequence[Finding], data_home: Path) -> Path:
    """Write the bundle, a zip, and return its path. Raises InstallFailed where it cannot be written."""
    redact = redaction(data_home)
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, text in _parts(findings, data_home):
                bundle.writestr(name, redact(text))
    except OSError as exc:
        raise InstallFailed(f"{target} could not be written: {exc.strerror}.") from exc
    return target


def redaction(data_home: Path) -> Callable[[str], str]:
    """Replaces the person's folders and name, other hosts' names, and whatever looks like a key."""
    person = str(home_folder())
    names = {getpass.getuser(), Path(person).name} - {"root", ""}

    def redact(text: str) -> str:
        for folder, sign in ((str(data_home), "<data home>"), (person, "~")):
            text = text.replace(folder, sign).replace(json.dumps(folder)[1:-1], sign)
        for name in names:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "<user>", text)
        text = ADDRESS.sub(_address, text)
        return SECRET.sub(_secret, text)

    return redact


def _address(found: re.Match[str]) -> str:
    return found[0] if any(name in found[0] for name in LOOPBACK) else f"{found[1]}://<server>"


def _secret(found: re.Match[str]) -> str:
    return found[0] if is_extension_id(found[0]) else "<redacted>"


def _parts(findings: Sequence[Finding], data_home: Path) -> Iterator[tuple[str, str]]:
    yield "README.txt", README.format(version=__version__)
    yield "doctor.json", json.dumps([as_json(finding) for finding in findings], indent=2, ensure_ascii=False)
    yield "versions.json", json.dumps(_versions(), indent=2)
    yield "settings.txt", _settings(data_home)
    for file in [*sorted(paths.logs(data_home).glob("host.log*")), paths.crash_file(data_home)]:
        if file.is_file():
            yield f"logs/{file.name}", file.read_bytes()[-KEPT_LOG_BYTES:].decode(errors="replace")


def as_json(finding: Finding) -> dict[str, object]:
    """A finding for programs."""
    return {
        "subject": finding.subject,
        "cause": finding.cause,
        "severity": finding.severity,
        "message": finding.message,
        "repairable": finding.repair is not None,
    }


def _versions() -> dict[str, str]:
    from importlib import metadata

    named = ("apsw", "httpx", "keyring", "orjson", "pydantic", "watchfiles", "xllamacpp")
    known = {name: found for name in named if (found := _version(metadata.version, name))}
    return {
        "sidekeep": __version__,
        "installed as": program.kind(),
        "python": sys.version.split()[0],
        "system": platform.platform(),
        **known,
    }


def _version(ask: Callable[[str], str], name: str) -> str:
    try:
        return ask(name)
    except ImportError:  # PackageNotFoundError: not on this platform, or frozen without its metadata
        return ""


def _settings(data_home: Path) -> str:
    """Which keys the file sets; a value may be a path or a proxy's password."""
    try:
        return "".join(f"{name} is set\n" for name in settings_file.read(paths.settings_file(data_home)))
    except SidekeepError as exc:
        return exc.message
