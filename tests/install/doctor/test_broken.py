"""Installations that are broken, each in one way: the doctor names the cause, and --fix repairs what can be."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.install.doctor.conftest import WRAPPER, Computer, first_error

from sidekeep.install import start
from sidekeep.install.doctor import examination

OWN = "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/"


class Broken(NamedTuple):
    """How it is broken, the cause that the doctor is to name, words of its sentence, whether --fix repairs it.

    `in_vain`: it never does what is waited for, so it need not be waited for long.
    """

    break_it: Callable[[Computer], object]
    cause: str
    says: str
    fixable: bool = True
    in_vain: bool = False


def _remove(name: str) -> Callable[[Computer], None]:
    return lambda computer: computer.edit(lambda members: members.pop(name))


def _set(name: str, value: object) -> Callable[[Computer], None]:
    return lambda computer: computer.edit(lambda members: members.update({name: value}))


def _bytes(data: bytes) -> Callable[[Computer], object]:
    return lambda computer: computer.manifest.write_bytes(data)


def _encoded(encoding: str) -> Callable[[Computer], object]:
    return lambda computer: computer.manifest.write_bytes(
        computer.manifest.read_text("utf-8")
        .replace("panel's", "panel’s ż" if "utf" in encoding else "pänel")
        .encode(encoding)
    )


def _program(text: str) -> Callable[[Computer], None]:
    return lambda computer: computer.replace_program(text)


def _dangling(computer: Computer) -> None:
    computer.manifest.unlink()
    computer.manifest.symlink_to(computer.manifest.with_name("gone.json"))


def _manifest_is_folder(computer: Computer) -> None:
    computer.manifest.unlink()
    computer.manifest.mkdir()


def _program_is_folder(computer: Computer) -> None:
    computer.program.unlink()
    computer.program.mkdir()


def _program_is_link_to_nothing(computer: Computer) -> None:
    computer.program.unlink()
    computer.program.symlink_to(computer.program.with_name("gone"))


def _damaged_store(computer: Computer) -> None:
    computer.home.mkdir(mode=0o700)
    (computer.home / "sidekeep.sqlite3").write_bytes(b"a diary" * 1000)


def _settings(computer: Computer) -> None:
    computer.home.mkdir(mode=0o700)
    (computer.home / "settings.toml").write_text("[limits]\nchats = -1\n")


def _keys(computer: Computer) -> None:
    computer.home.mkdir(mode=0o700)
    (computer.home / "secrets.json").write_text("not json")


def _home_is_file(computer: Computer) -> None:
    computer.home.write_text("in the way")


CASES = {
    "no manifest": Broken(lambda computer: computer.manifest.unlink(), "manifest_missing", "is not told of Sidekeep"),
    "the manifest is a link to nothing": Broken(_dangling, "manifest_missing", "is not told of Sidekeep"),
    "the manifest is a folder": Broken(
        _manifest_is_folder,
        "manifest_unreadable",
        "cannot be read",
        fixable=False,
    ),
    "a byte order mark": Broken(_encoded("utf-8-sig"), "manifest_bom", "byte order mark"),
    "UTF-16": Broken(_encoded("utf-16"), "manifest_encoding", "not UTF-8"),
    "Latin-1": Broken(_encoded("latin-1"), "manifest_encoding", "not UTF-8"),
    "a comma too many": Broken(_bytes(b'{"name": "dev.sidekeep.host",}'), "manifest_not_json", "line 1"),
    "an empty file": Broken(_bytes(b""), "manifest_not_json", "not JSON"),
    "a list": Broken(_bytes(b"[]"), "manifest_not_json", "no object"),
    "another name": Broken(_set("name", "dev.sidekeep.Host"), "manifest_name", "'dev.sidekeep.Host'"),
    "no description": Broken(_remove("description"), "manifest_description", "no description"),
    "an empty description": Broken(_set("description", ""), "manifest_description", "empty"),
    "another type": Broken(_set("type", "pipe"), "manifest_type", "'pipe'"),
    "no origins": Broken(_remove("allowed_origins"), "origins_missing", "allowed_origins"),
    "an origin without its slash": Broken(_set("allowed_origins", [OWN[:-1]]), "origin_slash", "slash"),
    "one bad origin among good ones": Broken(
        _set("allowed_origins", [OWN, "https://example.com/"]), "origin_malformed", "https://example.com/"
    ),
    "a wild card": Broken(
        _set("allowed_origins", ["chrome-extension://*/"]), "origin_malformed", "no extension's origin"
    ),
    "an id with a letter beyond p": Broken(
        _set("allowed_origins", [OWN.replace("hodb", "zodb")]), "origin_id", "32 letters from a to p"
    ),
    "an id that is too short": Broken(_set("allowed_origins", [OWN[:-3] + "/"]), "origin_id", "32 letters"),
    "another extension's origin": Broken(
        _set("allowed_origins", [f"chrome-extension://{'a' * 32}/"]), "origin_not_allowed", "does not allow"
    ),
    "a relative path": Broken(_set("path", "bin/sidekeep"), "path_relative", "'bin/sidekeep'"),
    "a path with a tilde": Broken(_set("path", "~/bin/sidekeep"), "path_relative", "from the root on"),
    "no path": Broken(_remove("path"), "path_missing", "names no program"),
    "a path with arguments": Broken(_set("path", "/bin/sh -c true"), "program_missing", "is not there"),
    "another program's path, gone": Broken(_set("path", "/opt/gone/sidekeep"), "program_missing", "/opt/gone/sidekeep"),
    "the program is gone": Broken(
        lambda computer: computer.program.unlink(), "program_missing", "not there", fixable=False
    ),
    "the program is a link to nothing": Broken(
        _program_is_link_to_nothing, "program_missing", "a link to", fixable=False
    ),
    "the program is a folder": Broken(_program_is_folder, "program_is_folder", "a folder", fixable=False),
    "the program may not be run": Broken(
        lambda computer: computer.program.chmod(0o644), "program_not_executable", "may not be run"
    ),
    "an empty program": Broken(_program(""), "program_empty", "is empty", fixable=False),
    "Windows line ends": Broken(
        _program(WRAPPER.replace("\n", "\r\n")), "program_crlf", "Windows line ends", fixable=False
    ),
    "an interpreter that is gone": Broken(
        _program("#!/opt/python9/bin/python\n"), "interpreter_missing", "/opt/python9/bin/python", fixable=False
    ),
    "an interpreter that only a terminal finds": Broken(
        _program("#!/usr/bin/env python9\n"), "interpreter_missing", "python9", fixable=False
    ),
    "a Python without Sidekeep": Broken(
        _program(f"#!{sys.executable} -IS\nimport sidekeep\n"), "wrong_interpreter", "no sidekeep", fixable=False
    ),
    "no program at all": Broken(_program("\x7fELF, or so it says"), "not_started", "does not start", fixable=False),
    "text before the protocol": Broken(
        _program(WRAPPER.replace("exec", "echo 'Hello from my shell'\nexec")),
        "stdout_polluted",
        "'Hello from my shell",
        fixable=False,
    ),
    "usage on stdout": Broken(
        _program("#!/bin/sh\necho 'usage: sidekeep'\n"), "stdout_polluted", "1,734,439,797", fixable=False
    ),
    "it ends at once": Broken(
        _program("#!/bin/sh\necho 'no luck today' >&2\nexit 3\n"), "host_ended", "status 3", fixable=False
    ),
    "it says nothing": Broken(
        _program("#!/bin/sh\nexec cat >/dev/null\n"), "host_silent", "does not answer", fixable=False, in_vain=True
    ),
    "it needs the terminal's PATH": Broken(
        _program(WRAPPER.replace("exec", 'case "$PATH" in */only-here) ;; *) exit 1;; esac\nexec')),
        "needs_environment",
        "from the menu",
        fixable=False,
    ),
    "it does not leave": Broken(
        _program(f'#!/bin/sh\n{sys.executable} -P -m sidekeep "$@"\nexec sleep 60\n'),
        "host_lingers",
        "still there",
        fixable=False,
        in_vain=True,
    ),
    "a damaged store": Broken(_damaged_store, "storage_failed", "damaged", fixable=False),
    "settings that are wrong": Broken(_settings, "settings_invalid", "line 2", fixable=False),
    "a key file that is none": Broken(_keys, "keys_unreadable", "secrets.json", fixable=False),
    "a file where the data home belongs": Broken(_home_is_file, "storage_failed", "SIDEKEEP_HOME", fixable=False),
}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, what comes in the end is waited for."""
    _wait(monkeypatch, 60)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin:/only-here")


def _wait(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(start, "REPLY_S", seconds)
    monkeypatch.setattr(start, "END_S", seconds)


def test_a_sound_installation_is_found_sound(computer: Computer) -> None:
    assert first_error(computer.examine()) is None


@pytest.mark.parametrize("broken", CASES.values(), ids=CASES.keys())
def test_the_cause_is_named_and_repaired_where_it_can_be(
    computer: Computer, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken.break_it(computer)
    if broken.in_vain:
        _wait(monkeypatch, 2)
    findings = computer.examine()
    found = first_error(findings)
    assert found is not None
    assert (found.cause, broken.says in found.message) == (broken.cause, True), found.message
    assert found.message.count("\n") == 0
    assert (found.repair is not None) == broken.fixable
    if broken.fixable:
        assert examination.repair(findings) == [(found, "")]
        assert first_error(computer.examine()) is None
