"""`sidekeep ORIGIN` is what a browser runs; `sidekeep COMMAND …` is for people.

The browser's start is the hot path: stdin and stdout are taken before anything else is imported, so that nothing a library
prints can reach the protocol, and only what serving needs is imported.
"""

import sys

ORIGIN_PREFIX = "chrome-extension://"


def main() -> int:
    """Serve the browser, or hand over to the command line. Returns the exit status."""
    arguments = sys.argv[1:]
    if arguments and arguments[0].startswith(ORIGIN_PREFIX):
        from sidekeep.transport.stdio import Stdio

        stdio = Stdio.claim()
        from sidekeep.app import serve

        return serve(stdio, origin=arguments[0])
    from sidekeep.cli import main as command_line

    return command_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
