"""`sidekeep mcp`: what an MCP client runs, where a person adds it there. It reads from stdin and writes to stdout."""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments; the description says how a client is told."""
    parser.description = (
        "An MCP server over stdin and stdout with which a program of yours can search and read your saved conversations. It "
        "changes nothing, and shows neither the archive nor excluded folders. Off unless you add it to that program's "
        'configuration, as the command "sidekeep" with the argument "mcp".'
    )


def run(_arguments: argparse.Namespace) -> int:
    """Serves until the client closes stdin. Returns 0."""
    from sidekeep.cli.opened import services
    from sidekeep.mcp.library import Library
    from sidekeep.mcp.server import serve

    serve(Library(lambda: services("mcp", reads_only=True)))
    return 0
