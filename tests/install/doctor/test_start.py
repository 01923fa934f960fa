"""What is told of bytes that are no frame, and how a program is started."""

import struct
from pathlib import Path

import pytest
from tests.install.doctor.conftest import Computer
from tests.support.host import RunningHost

from sidekeep.install.doctor import launch
from sidekeep.install.start import NoReply, Started, announced

# The lengths that Chrome's log shows, and the texts they were (hosts.md, 2.10).
LENGTHS = {
    1819043144: "Hell",
    1836017711: "/hom",
    1668248176: "proc",
    1953720652: "List",
    977472013: "\r\nC:",
    858927154: "2023",
    1635017060: "data",
    1734439797: "usag",
    542393671: "GET ",
}


@pytest.mark.parametrize(("length", "text"), LENGTHS.items(), ids=map(repr, LENGTHS.values()))
def test_an_impossible_length_is_told_as_the_text_it_was(length: int, text: str) -> None:
    raw = struct.pack("=I", length) + b"o and more"
    message = launch._without_reply(Path("/opt/host"), NoReply("polluted", raw), "").message
    assert repr(text + "o and more")[1:-1] in message
    assert announced(raw) == f"{length:,}"


def test_the_program_is_started_as_a_browser_does_it(computer: Computer) -> None:
    computer.replace_program('#!/bin/sh\nprintf "%s|%s|%s" "$PWD" "$0" "$*" >&2\nexec cat >/dev/null\n')
    with Started(computer.program, "chrome-extension://x/") as started:
        started.end()
    assert started.errors.split("|")[:3] == [
        str(computer.program.parent),
        str(computer.program),
        "chrome-extension://x/",
    ]


def test_an_id_that_the_host_does_not_know_is_turned_away_by_it(computer: Computer) -> None:
    causes = [finding.cause for finding in launch.examine(computer.program, "c" * 32)]
    assert causes[0] == "origin_refused"


def test_a_model_server_that_cannot_be_reached_is_a_note(computer: Computer) -> None:
    with RunningHost(computer.home, program=(str(computer.program),)) as host:
        host.hello()
        provider = {"kind": "openai-chat", "baseUrl": "http://127.0.0.1:9/v1", "model": "m"}
        host.request("storage.set", items={"providers": {"mine": provider}, "activeProvider": "mine"})
    found = launch.examine(computer.program, "hodbpabemnndpbbmcjdinhofnnepgklm")
    (of_model,) = [finding for finding in found if finding.subject == "The model"]
    assert (of_model.cause, of_model.severity) == ("model_unreachable", "warning")
    assert of_model.message.startswith("mine: ")


def test_another_version_is_told_with_the_command_that_changes_it(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "__version__", "99.0")
    found = launch.examine(computer.program, "hodbpabemnndpbbmcjdinhofnnepgklm")[0]
    assert (found.cause, found.severity) == ("other_version", "warning")
    assert "`sidekeep install`" in found.message
