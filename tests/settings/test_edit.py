"""A settings.toml that a person wrote keeps all that is not the list of extensions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.errors import SettingsInvalid
from sidekeep.settings import edit
from sidekeep.settings import file as settings_file

A, B, C = "a" * 32, "b" * 32, "c" * 32
FILES = {
    "none": None,
    "empty": "",
    "with a table": '# top\n[log]\nlevel = "debug" # loud\n',
    "with a list": f'allowed_extensions = ["{A}"]  # friends\n[limits]\nchats = 5\n',
    "with a long list": f'allowed_extensions = [\n  "{A}", # first\n  "{B}",\n]\n\n[limits]\nchats = 5\n',
    "with Windows' line ends": f'# top\r\nallowed_extensions = ["{A}"]\r\n',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_an_id_is_added_once_and_the_rest_stays(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "home" / "settings.toml"
    if text is not None:
        file.parent.mkdir()
        file.write_bytes(text.encode())
    before = dict(settings_file.read(file))
    listed = edit.allow_extensions(file, add=[C])
    assert listed == (*before.get("allowed_extensions", []), C)
    assert settings_file.read(file) == before | {"allowed_extensions": list(listed)}
    for comment in ("# top", "# loud", "# friends", "# first"):
        assert (comment in (text or "")) == (comment in file.read_text("utf-8"))
    written = file.read_bytes()
    assert edit.allow_extensions(file, add=[C]) == listed
    assert file.read_bytes() == written


@given(st.lists(st.sampled_from([A, B, C]), unique=True), st.sets(st.sampled_from([A, B, C])))
def test_what_is_taken_out_is_out_and_the_others_keep_their_order(ids: list[str], gone: set[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "settings.toml"
        edit.allow_extensions(file, add=ids)
        assert edit.allow_extensions(file, remove=gone) == tuple(one for one in ids if one not in gone)
        assert list(settings_file.read(file).get("allowed_extensions", [])) == [one for one in ids if one not in gone]


def test_an_id_that_is_none_and_a_file_that_is_wrong_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    with pytest.raises(ValueError, match="allowed_extensions"):
        edit.allow_extensions(file, add=["short"])
    assert not file.exists()
    file.write_text("limits = 3\n", "utf-8")
    with pytest.raises(SettingsInvalid):
        edit.allow_extensions(file, add=[A])
    assert file.read_text("utf-8") == "limits = 3\n"


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles" / "sidekeep.toml"
    real.write_text("# mine\n", "utf-8")
    link = tmp_path / "settings.toml"
    link.symlink_to(real)
    edit.allow_extensions(link, add=[A])
    assert link.is_symlink()
    assert real.read_text("utf-8").endswith("# mine\n")
