"""The host manifest that is written into a profile."""

import json
from pathlib import Path

from tasks import manifest

GOLDEN = """{
  "name": "dev.sidekeep.host",
  "description": "Sidekeep keeps the side panel's conversations on this computer",
  "path": "/opt/a b/\\u017c/sidekeep",
  "type": "stdio",
  "allowed_origins": [
    "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/"
  ]
}
"""


def test_the_manifest_is_rendered_as_ascii_with_the_program_in_it() -> None:
    assert manifest.render(Path("/opt/a b/ż/sidekeep")) == GOLDEN


def test_a_relative_program_becomes_absolute() -> None:
    assert Path(json.loads(manifest.render(Path("bin/sidekeep")))["path"]).is_absolute()


def test_it_is_put_where_the_browser_looks_in_that_profile(tmp_path: Path) -> None:
    written = manifest.install(tmp_path / "profile", Path("/opt/sidekeep"))
    assert written == tmp_path / "profile" / "NativeMessagingHosts" / "dev.sidekeep.host.json"
    assert json.loads(written.read_text(encoding="utf-8"))["path"] == "/opt/sidekeep"


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    written = manifest.install(tmp_path, Path("/opt/sidekeep"))
    before = written.stat().st_mtime_ns
    manifest.install(tmp_path, Path("/opt/sidekeep"))
    assert written.stat().st_mtime_ns == before
