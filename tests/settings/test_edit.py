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
def test_an_id_is_added_and_the_rest_stays(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "settings.toml"
    if text is not None:
        file.write_bytes(text.encode())
    before = dict(settings_file.read(file))
    listed = (*edit.allowed_extensions(file), C)
    written = edit.with_extensions(file, listed)
    file.write_bytes(written)
    assert settings_file.read(file) == before | {"allowed_extensions": list(listed)}
    for comment in ("# top", "# loud", "# friends", "# first"):
        assert (comment in (text or "")) == (comment in written.decode())
    assert edit.with_extensions(file, listed) == written


@given(st.lists(st.sampled_from([A, B, C]), unique=True), st.lists(st.sampled_from([A, B, C]), unique=True))
def test_the_file_lists_what_it_is_to_list(before: list[str], after: list[str]) -> None:
    data = edit._listing(edit._listing(b"# mine\n", before), after)
    assert data.decode().count("# mine") == 1
    assert sorted(settings_file.parse(Path("settings.toml"), data)["allowed_extensions"]) == sorted(after)


def test_an_id_that_is_none_and_a_file_that_is_wrong_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    with pytest.raises(ValueError, match="allowed_extensions"):
        edit.with_extensions(file, ["short"])
    file.write_text("limits = 3\n", "utf-8")
    with pytest.raises(SettingsInvalid):
        edit.with_extensions(file, [A])
