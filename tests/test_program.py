"""How this installation came to be, and the command that updates it."""

import sys
from pathlib import Path

import pytest

from sidekeep import program


def test_these_sources_are_a_checkout_updated_in_its_folder() -> None:
    assert program.kind() == "checkout"
    assert program.update_command().startswith(f"cd {Path(__file__).parents[1]} && ")


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/a/.local/share/pipx/venvs/sidekeep", "pipx upgrade sidekeep"),
        ("/home/a/.local/share/uv/tools/sidekeep", "uv tool upgrade sidekeep"),
    ],
)
def test_a_tool_of_pipx_or_uv_is_updated_by_it(monkeypatch: pytest.MonkeyPatch, prefix: str, command: str) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    assert program.update_command() == command
    assert program.extension_command() == "sidekeep extension"


def test_a_frozen_program_is_replaced_when_its_link_names_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, link = tmp_path / "1.0" / "sidekeep", tmp_path / "1.1" / "sidekeep", tmp_path / "bin"
    for program_file in (old, new):
        program_file.parent.mkdir()
        program_file.touch()
    link.symlink_to(old)
    (old.parent / "installed-from").write_text(f"deb {link}\n")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(old))
    assert (program.is_replaced(), program.program()) == (False, link)
    link.unlink()
    assert not program.is_replaced(), "half way through an update, or uninstalled"
    link.symlink_to(new)
    assert (program.is_replaced(), program.program()) == (True, old)


@pytest.mark.parametrize(("note", "kind"), [("deb\n", "deb"), (None, "tar")])
def test_a_frozen_program_knows_what_it_was_unpacked_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, note: str | None, kind: str
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "sidekeep"))
    if note is not None:
        (tmp_path / "installed-from").write_text(note)
    assert program.kind() == kind
    assert program.program() == tmp_path / "sidekeep"
