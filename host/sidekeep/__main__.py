"""`sidekeep ORIGIN` is what a browser runs; `sidekeep COMMAND …` is for people.

The browser's start is the hot path: stdin and stdout are taken before anything else is imported, so that nothing a library
prints can reach the protocol, and only what serving needs is imported.
"""

import gc
import os
import sys

ORIGIN_PREFIX = "chrome-extension://"


def main() -> int:
    """Serve the browser, or hand over to the command line. Returns the exit status."""
    if hasattr(sys, "frozen"):
        _leave_environment_to_others()
    arguments = sys.argv[1:]
    if arguments and arguments[0].startswith(ORIGIN_PREFIX):
        from sidekeep.transport.stdio import Stdio

        stdio = Stdio.claim()
        gc.disable()  # what is imported stays: looking through it over and over is a tenth of the start (app.py enables it)
        from sidekeep.app import serve

        return serve(stdio, origin=arguments[0])
    from sidekeep.cli import main as command_line

    return command_line(arguments)


def _leave_environment_to_others() -> None:
    """PyInstaller's loader has put its folder where the system looks for libraries; another program that is started from here
    would find the wrong ones there. One that is this very program sets it up anew."""
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"


if __name__ == "__main__":
    sys.exit(main())
