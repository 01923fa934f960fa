"""The last settings.toml that was right, with the values it set.

A host that starts while the file is wrong goes on with them; and a file that was checked once need not be checked before hello:
pydantic alone takes longer to import than a host to answer.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sidekeep import __version__


class Good(NamedTuple):
    """The file's bytes, and its values by key."""

    toml: bytes
    values: Mapping[str, Any]


NOTHING = Good(b"", {})


def read(path: Path) -> Good:
    """What was kept; nothing where there is none, or where another version, which may know other keys, has kept it."""
    try:
        kept = json.loads(path.read_bytes())
        good = Good(kept["toml"].encode(), dict(kept["values"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NOTHING
    return good if kept["version"] == __version__ else NOTHING


def write(path: Path, good: Good) -> None:
    """Keep it in the place of what was kept. Raises OSError."""
    kept = {"version": __version__, "toml": good.toml.decode(), "values": dict(good.values)}
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    scratch.touch(mode=0o600)
    scratch.write_bytes(json.dumps(kept).encode())
    scratch.replace(path)
