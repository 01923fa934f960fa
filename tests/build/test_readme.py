"""Every command the README names is one that exists, and every file and link too."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tasks.cli import TASKS, parse, parser
from tasks.places import HOST_PROGRAM

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
INLINE = re.findall(r"`((?:python3 build\.py|sidekeep) [^`]+)`", README)


def options_of(task: str) -> str:
    """The help of one task."""
    answer = subprocess.run(
        ["python3", "build.py", task, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return answer.stdout


@pytest.mark.parametrize("command", [*COMMANDS, *INLINE])
def test_a_command_of_the_readme_exists(command: str) -> None:
    program, *arguments = shlex.split(command)
    if program in ("sidekeep", ".venv/bin/sidekeep"):
        subprocess.run([HOST_PROGRAM, *arguments, "--help"], capture_output=True, text=True, check=True)
        return
    assert [program, arguments[0]] == ["python3", "build.py"], "the README says only build.py's and sidekeep's commands"
    if arguments[1:] != ["--help"]:
        parse(arguments[1:])


def test_the_first_two_commands_are_run_and_test() -> None:
    assert COMMANDS[:2] == ["python3 build.py run", "python3 build.py test"]


def test_ci_runs_the_readmes_test_command_and_nothing_after_it() -> None:
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").strip().splitlines()[-1] == f"exec {COMMANDS[1]}"


@pytest.mark.parametrize("task", list(TASKS))
def test_help_explains_each_task(task: str) -> None:
    assert len(options_of(task).splitlines()) > 3
    assert task in parser().format_help()


def test_options_that_the_readme_names_are_those_of_run_and_of_install() -> None:
    named = set(re.findall(r"`(--[a-z-]+)", README))
    shown = options_of("run") + subprocess.check_output([HOST_PROGRAM, "install", "--help"], text=True)
    assert [option for option in named if option not in shown] == []


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r"`((?:[\w.-]+/)+)`", README))
def test_a_place_that_the_readme_names_exists(target: str) -> None:
    made = ("dist/", "logs/", "models/", "backups/", ".sidekeep-dev/")
    assert target.startswith(made) or (ROOT / target).exists()
