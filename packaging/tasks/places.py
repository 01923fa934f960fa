"""Where things lie in the checkout, and the names that are fixed (docs/protocol.md, section 0)."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
VENV_PROGRAMS = VENV / ("Scripts" if sys.platform == "win32" else "bin")
VENV_PYTHON = VENV_PROGRAMS / ("python.exe" if sys.platform == "win32" else "python")
HOST_PROGRAM = VENV_PROGRAMS / ("sidekeep.exe" if sys.platform == "win32" else "sidekeep")
EXTENSION = ROOT / "extension"
VENDOR = EXTENSION / "vendor"
DIST = ROOT / "dist"
NODE_MODULES = ROOT / "node_modules"
BUILD = ROOT / "build"
DEV_HOME = ROOT / ".sidekeep-dev"
ARTICLE = ROOT / "tests" / "fixtures" / "article.html"

EXTENSION_ID = "hodbpabemnndpbbmcjdinhofnnepgklm"
ORIGIN = f"chrome-extension://{EXTENSION_ID}/"
HOST_NAME = "dev.sidekeep.host"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_BYTES = 98_362_432


def data_home() -> Path:
    """The store that build.py uses: SIDEKEEP_HOME, else one in the checkout, never the person's own."""
    given = os.environ.get("SIDEKEEP_HOME")
    return Path(given).expanduser().absolute() if given else DEV_HOME
