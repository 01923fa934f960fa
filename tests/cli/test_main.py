"""What `sidekeep` does before any command."""

from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep

import sidekeep as package
from sidekeep.cli import COMMANDS


@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("--unknown",), ("https://example.com/",), ("",)], ids=str)
def test_a_program_that_starts_it_by_mistake_gets_a_clean_stdout(
    sidekeep: Sidekeep, arguments: tuple[str, ...]
) -> None:
    result = sidekeep(*arguments)
    assert (result.returncode, result.stdout) == (0, "")
    assert "usage: sidekeep" in result.stderr


def test_a_wrong_name_is_named(sidekeep: Sidekeep) -> None:
    assert "there is no command 'nonsense'" in sidekeep("nonsense").stderr


def test_version(sidekeep: Sidekeep) -> None:
    result = sidekeep("--version")
    assert (result.returncode, result.stdout) == (0, f"sidekeep {package.__version__}\n")


def test_help_lists_the_commands_for_people_and_no_other(sidekeep: Sidekeep) -> None:
    listed = sidekeep("--help").stdout
    for name, purpose in COMMANDS.items():
        assert (name in listed) == bool(purpose)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_of_its_own(sidekeep: Sidekeep, name: str) -> None:
    result = sidekeep(name, "--help")
    assert result.returncode == 0
    assert f"usage: sidekeep {name}" in result.stdout


def test_a_command_used_wrongly_is_status_2(sidekeep: Sidekeep) -> None:
    result = sidekeep("model", "fetch")
    assert (result.returncode, result.stdout) == (2, "")
    assert "invalid choice: 'fetch'" in result.stderr


def test_nothing_is_written_by_looking(sidekeep: Sidekeep, home: Path) -> None:
    sidekeep("model", "status")
    assert not home.exists()
