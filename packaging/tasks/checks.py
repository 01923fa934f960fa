"""`lint`: the checkers, each a command of its own; the tests run the same list."""

import subprocess
from pathlib import Path

from tasks import vendor, venv
from tasks.places import NODE_MODULES, ROOT, VENV_PROGRAMS
from tasks.say import TaskError, say, step


def commands() -> dict[str, list[str]]:
    """The checkers by name, each as its argument list, to be run in the checkout."""
    tools = VENV_PROGRAMS
    return {
        "ruff check": [str(tools / "ruff"), "check", "."],
        "ruff format": [str(tools / "ruff"), "format", "--check", "."],
        "mypy": [str(tools / "mypy")],
        "import-linter": [str(tools / "lint-imports")],
        "tsc": ["node", str(tsc()), "--project", "tsconfig.json"],
    }


def tsc() -> Path:
    """TypeScript's compiler, as npm's lock installed it."""
    return NODE_MODULES / "typescript" / "bin" / "tsc"


def check(name: str) -> str:
    """Run one checker; what it found, or '' if it is content."""
    command = commands()[name]
    answer = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    output = answer.stdout.decode(errors="replace")
    return "" if answer.returncode == 0 else output or f"it ended with status {answer.returncode}"


def lint() -> None:
    """Run every checker. Raises TaskError naming those that found something."""
    say("Setting up:")
    venv.ensure()
    vendor.ensure()
    vendor.ensure_node_modules()
    say("Checking:")
    unhappy = []
    for name in commands():
        found = check(name)
        step(name, "found something:" if found else "ok")
        if found:
            print(found.rstrip(), flush=True)
            unhappy.append(name)
    if unhappy:
        raise TaskError(f"Not clean: {', '.join(unhappy)}; see above.")
