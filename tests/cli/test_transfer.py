"""`sidekeep import` and `sidekeep export`, as people run them."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep
from tests.support import exports
from tests.support.host import RunningHost

SAMPLES = exports.SHARED_SAMPLES


def test_import_says_what_came_and_which_keys_were_not_taken(sidekeep: Sidekeep) -> None:
    result = sidekeep("import", str(SAMPLES / "pageassist-export.json"), str(SAMPLES / "claude-conversations.json"))
    assert result.returncode == 0, result.stderr
    assert "pageassist, claude: 6 added, 0 updated, 0 unchanged, 0 archived" in result.stdout
    assert "oaiConfigs[0].apiKey (Demo gateway). It was not taken." in result.stdout
    assert "EXAMPLE" not in result.stdout + result.stderr


def test_import_as_json_is_the_wire_s_shape_and_a_dry_run_writes_nothing(sidekeep: Sidekeep) -> None:
    file = str(SAMPLES / "openwebui-legacy.json")
    for arguments in (("--dry-run",), (), ()):
        result = sidekeep("import", file, "--json", *arguments)
        assert result.returncode == 1, "one of its conversations is a cycle"
        report = json.loads(result.stdout)
        expected = (6, 0) if arguments or report["added"] else (0, 6)
        assert (report["added"], report["unchanged"]) == expected
        assert [each["where"] for each in report["failed"]] == ["openwebui-legacy.json: [3]"]
    assert report["unchanged"] == 6


def test_import_tells_of_earlier_states(sidekeep: Sidekeep, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    compaction = {"type": "compaction", "id": "c", "parentId": "a", "summary": "Asked.", "firstKeptEntryId": "a"}
    file.write_bytes(exports.transcript(1) + json.dumps(compaction).encode())
    assert "lead back to it: 1\n" in sidekeep("import", str(file), "--dry-run").stdout
    assert json.loads(sidekeep("import", str(file), "--json").stdout)["checkpoints"] == 1


def test_a_host_that_runs_hears_of_an_import(sidekeep: Sidekeep, home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        assert sidekeep("import", str(SAMPLES / "librechat-flat.json")).returncode == 0
        assert "savedSessions" in host.event("storage.onChanged")["changes"]


@pytest.mark.parametrize("name", ["gone.json", "empty.json"])
def test_a_file_that_cannot_be_read_is_told_on_stderr(sidekeep: Sidekeep, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty.json").touch()
    result = sidekeep("import", str(tmp_path / name))
    assert result.returncode == 1
    assert f"Not imported: {name}: " in result.stderr


def test_export_goes_where_it_is_told_and_comes_back(
    sidekeep: Sidekeep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sidekeep("import", str(SAMPLES))
    target = tmp_path / "all.json"
    result = sidekeep("export", "--to", str(target))
    assert f"Exported: {target}" in result.stdout
    assert sidekeep("export", "--to", str(target)).returncode == 1, "it is there already"
    monkeypatch.setenv("SIDEKEEP_HOME", str(tmp_path / "other"))
    assert json.loads(sidekeep("import", str(target), "--json").stdout)["added"] == 24


def test_one_chat_is_exported_as_markdown(sidekeep: Sidekeep, home: Path) -> None:
    sidekeep("import", str(SAMPLES / "librechat-flat.json"))
    with RunningHost(home) as host:
        host.hello()
        chat = host.request("sessions.list")["sessions"][0]
    made = json.loads(sidekeep("export", chat["id"], "--format", "markdown", "--redact", "--json").stdout)
    assert "Day 1: east. Day 2: back." in (Path(made["file"]).parent / f"{chat['name']}.md").read_text("utf-8")


def test_without_a_store_there_is_nothing_to_export(sidekeep: Sidekeep, home: Path) -> None:
    result = sidekeep("export")
    assert result.returncode == 1
    assert "no store" in result.stderr
    assert not home.exists()
