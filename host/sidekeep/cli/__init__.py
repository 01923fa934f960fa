"""The command line for people: `sidekeep COMMAND …`. What a browser runs is in `app`.

A command is a module of this room with `configure(parser)` and `run(arguments) -> int`, imported when it is asked for.
"""

import argparse
import keyword
import sys
from collections.abc import Sequence
from importlib import import_module

from sidekeep import __version__
from sidekeep.errors import SidekeepError

# name -> what it is for. The module has the same name. A name without a text is not shown: nobody types it.
COMMANDS = {
    "install": "let browsers find this host, and say which extensions may start it",
    "uninstall": "take away what install wrote; chats and settings stay",
    "extension": "say where the extension is that came with this host",
    "doctor": "find what keeps the browser from the host, and repair it",
    "smoke": "speak with the host as a browser does, and time each step",
    "logs": "what the host has noted of itself",
    "model": "the offline model: fetch its weights, see whether it is there",
    "settings": "the host's settings: what is in force, what is wrong in settings.toml, what waits",
    "import": "bring conversations from other programs, or another Sidekeep",
    "export": "take conversations with you: as JSON that comes back exactly, as Markdown, as HTML",
    "store": "the store as a whole: move it, merge another one into it, check and repair it",
    "mcp": "let a program of yours search and read your conversations (an MCP server)",
    "backup": "backups of everything that is kept: make one, list, verify, restore",
    "offline-model": "",
}

INTERRUPTED = 130


def main(argv: Sequence[str]) -> int:
    """Run one command. Returns the exit status: 0 done, 1 not done (a sentence on stderr says why), 2 wrong usage."""
    command = argv[0] if argv else ""
    if command not in (*COMMANDS, "-h", "--help", "--version"):
        return _no_command(command)
    parser = _parser(command)
    arguments = parser.parse_args(list(argv))
    try:
        return int(arguments.run(arguments))
    except SidekeepError as exc:
        print(exc.message, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # `| head` has gone; nothing can be said
        return 1


def _no_command(command: str) -> int:
    """A program that starts us by mistake gets status 0 and a clean stdout; a person learns what is wrong."""
    parser = _parser("")
    if command:
        print(f"sidekeep: there is no command {command!r}", file=sys.stderr)
    parser.print_help(sys.stderr)
    return 2 if command and sys.stdin is not None and sys.stdin.isatty() else 0


def _module_name(command: str) -> str:
    """The command's own name, as Python can spell it."""
    return f"{command}_" if keyword.iskeyword(command) else command.replace("-", "_")


def _parser(command: str) -> argparse.ArgumentParser:
    """The parser with all commands listed and the module of `command` alone loaded."""
    parser = argparse.ArgumentParser(prog="sidekeep", description="Sidekeep's native messaging host, for people.")
    parser.add_argument("--version", action="version", version=f"sidekeep {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, purpose in COMMANDS.items():
        sub = commands.add_parser(name, help=purpose, description=purpose) if purpose else commands.add_parser(name)
        if name == command:
            module = import_module(f"sidekeep.cli.{_module_name(name)}")
            module.configure(sub)
            sub.set_defaults(run=module.run)
    return parser
