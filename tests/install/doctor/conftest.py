"""A computer with one browser profile on which Sidekeep is installed and well, to be broken."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidekeep.install import plan
from sidekeep.install.apply import carry_out
from sidekeep.install.doctor import examination
from sidekeep.install.doctor.examination import Case
from sidekeep.install.doctor.finding import Finding, first_wrong
from sidekeep.install.machine import ThisMachine
from sidekeep.install.places import Wish
from sidekeep.install.sandbox import Program

WRAPPER = f'#!/bin/sh\nexec {sys.executable} -P -m sidekeep "$@"\n'


class Computer:
    """`program` is a script that starts the real host; `manifest` names it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "data home"
        self.profile = folder / "profile"
        self.program = folder / "bin" / "sidekeep"
        self.manifest = self.profile / "NativeMessagingHosts" / "dev.sidekeep.host.json"
        self.replace_program(WRAPPER)
        carry_out(plan.install(ThisMachine(), self.wish, Program(self.program)))

    @property
    def wish(self) -> Wish:
        return Wish(user_data_dir=self.profile)

    def replace_program(self, text: str) -> None:
        """Another program in its place, runnable."""
        self.program.parent.mkdir(exist_ok=True)
        self.program.write_text(text, encoding="utf-8", newline="")
        self.program.chmod(0o755)

    def edit(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the manifest as somebody with an editor would."""
        members = json.loads(self.manifest.read_text("utf-8"))
        change(members)
        self.manifest.write_text(json.dumps(members), "utf-8")

    def case(self) -> Case:
        return Case(ThisMachine(), self.wish, Program(self.program))

    def examine(self) -> list[Finding]:
        return examination.examine(self.case())


def first_error(findings: list[Finding]) -> Finding | None:
    """The first thing that is wrong; notes, such as that the offline model is not there, are passed over."""
    found = first_wrong(findings)
    return found if found is not None and found.severity == "error" else None


@pytest.fixture
def computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Computer]:
    """Sidekeep is installed and well on it."""
    monkeypatch.setenv("SIDEKEEP_HOME", str(tmp_path / "data home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    before = os.umask(0o022)
    yield Computer(tmp_path)
    os.umask(before)
