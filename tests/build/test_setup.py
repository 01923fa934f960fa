"""The set-up steps: done once, done again where something was lost, never by halves."""

import os
import shutil
from pathlib import Path

import pytest
from tests.build.conftest import Build

from tasks import places, vendor, venv
from tasks.files import Stamp, link_or_copy, write_if_changed


def test_the_extension_is_built_and_a_second_run_only_looks(checkout: Path, build: Build) -> None:
    assert build("extension").returncode == 0
    built = checkout / "dist" / "extension"
    assert (built / "manifest.json").is_file()
    assert (built / "vendor" / "Readability.js").is_file()
    assert (built / "LICENSE").is_file()
    assert not list(built.rglob("*.d.ts"))
    licences = {path.name for path in (built / "vendor").glob("LICENSE.*")}
    assert len(licences) == len(vendor.packages(vendor.vendor_map()))
    second = build("extension", path=checkout)  # a PATH without node: nothing may need it now
    assert second.returncode == 0, second.stderr
    assert "up to date" in second.stderr


def test_a_vendored_file_that_was_edited_is_put_back(checkout: Path, build: Build) -> None:
    assert build("extension").returncode == 0
    edited = checkout / "extension" / "vendor" / "marked.js"
    original = edited.read_bytes()
    edited.write_bytes(original + b"//")
    assert build("extension").returncode == 0
    assert edited.read_bytes() == original


def test_vendored_files_are_those_of_the_packages() -> None:
    wanted = vendor.vendor_map()
    assert wanted
    for name, source in vendor.files(wanted).items():
        assert (places.VENDOR / name).read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("node_modules/marked/lib/marked.esm.js", "marked"),
        ("node_modules/@mozilla/readability/Readability.js", "@mozilla/readability"),
    ],
)
def test_a_files_package_is_found_from_its_path(source: str, package: str) -> None:
    assert vendor.packages({"x.js": source}) == [package]


def test_a_damaged_environment_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert venv.is_healthy()
    broken = tmp_path / "python"
    broken.symlink_to(tmp_path / "gone")
    monkeypatch.setattr(venv, "VENV_PYTHON", broken)
    assert not venv.is_healthy()
    broken.unlink()
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    assert not venv.is_healthy()


def test_a_lost_package_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert venv.holds_lock()
    copy = tmp_path / "site-packages"
    copy.mkdir()
    for folder in venv.site_packages().glob("*.dist-info"):
        (copy / folder.name).mkdir()
    monkeypatch.setattr(venv, "site_packages", lambda: copy)
    assert venv.holds_lock()
    shutil.rmtree(next(copy.glob("orjson-*.dist-info")))
    assert not venv.holds_lock()


def test_a_stamp_holds_for_the_same_inputs_alone(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text("1")
    stamp = Stamp(tmp_path / "stamp", [lock, "recipe"])
    assert not stamp.holds()
    stamp.set()
    assert Stamp(tmp_path / "stamp", [lock, "recipe"]).holds()
    lock.write_text("2")
    assert not Stamp(tmp_path / "stamp", [lock, "recipe"]).holds()


def test_weights_are_linked_not_copied(tmp_path: Path) -> None:
    source = tmp_path / "a" / "weights"
    source.parent.mkdir()
    source.write_bytes(b"x" * 1000)
    target = tmp_path / "b" / "models" / "weights"
    link_or_copy(source, target)
    assert target.samefile(source)


def test_weights_are_copied_where_links_do_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_source: Path, _target: Path) -> None:
        raise OSError("another file system")

    monkeypatch.setattr(os, "link", refuse)
    source = tmp_path / "weights"
    source.write_bytes(b"x")
    link_or_copy(source, tmp_path / "home" / "weights")
    assert (tmp_path / "home" / "weights").read_bytes() == b"x"


def test_a_file_is_written_only_when_it_changed(tmp_path: Path) -> None:
    assert write_if_changed(tmp_path / "file", "a")
    assert not write_if_changed(tmp_path / "file", "a")
    assert write_if_changed(tmp_path / "file", "b")
