"""The host manifest that is written into a profile."""

import json
import subprocess
import sys
from pathlib import Path

from tasks import manifest
from tasks.places import ROOT


def test_a_relative_program_becomes_absolute(tmp_path: Path) -> None:
    written = manifest.install(tmp_path, Path("bin/sidekeep"))
    assert Path(json.loads(written.read_text(encoding="utf-8"))["path"]).is_absolute()


def test_the_hosts_installer_needs_nothing_but_python() -> None:
    """build.py runs before there is a virtual environment."""
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys; sys.path[:0] = ['host', 'packaging']; import tasks.manifest"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr


def test_it_is_put_where_the_browser_looks_in_that_profile(tmp_path: Path) -> None:
    written = manifest.install(tmp_path / "profile", Path("/opt/sidekeep"))
    assert written == tmp_path / "profile" / "NativeMessagingHosts" / "dev.sidekeep.host.json"
    assert json.loads(written.read_text(encoding="utf-8"))["path"] == "/opt/sidekeep"


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    written = manifest.install(tmp_path, Path("/opt/sidekeep"))
    before = written.stat().st_mtime_ns
    manifest.install(tmp_path, Path("/opt/sidekeep"))
    assert written.stat().st_mtime_ns == before
