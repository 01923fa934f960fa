"""`sidekeep extension`: where the extension is that came with this host, and how a browser takes it."""

import argparse
import json

from sidekeep import program
from sidekeep.errors import NotFound


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the form of the answer."""
    parser.add_argument("--path", action="store_true", help="the folder, and nothing else")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0. Raises NotFound where this installation brought no extension."""
    folder = program.extension_folder()
    if folder is None:
        raise NotFound(f"No built extension is here. To build it: {program.extension_command()}")
    version = json.loads((folder / "manifest.json").read_text("utf-8"))["version"]
    if arguments.json:
        print(json.dumps({"path": str(folder), "version": version}))
    elif arguments.path:
        print(folder)
    else:
        print(f"{folder} (version {version})")
        print("Open chrome://extensions, switch on Developer mode, press Load unpacked and choose this folder.")
        print("After an update, press Reload on Sidekeep's card there.")
    return 0
