"""Whose data a caller sees."""

import pytest

from sidekeep.domain.scope import BUILT_IN_EXTENSION_IDS, SIDEKEEP, extension_id_of, namespace_of


@pytest.mark.parametrize(
    ("origin", "extension_id"),
    [
        ("chrome-extension://abc/", "abc"),
        ("chrome-extension://abc", "abc"),
        ("https://abc/", ""),
        ("abc", ""),
        ("chrome-extension://", ""),
    ],
)
def test_the_id_is_read_from_the_origin(origin: str, extension_id: str) -> None:
    assert extension_id_of(origin) == extension_id


def test_sidekeeps_own_ids_share_one_namespace_and_others_have_their_own() -> None:
    assert {namespace_of(own) for own in BUILT_IN_EXTENSION_IDS} == {SIDEKEEP}
    assert namespace_of("p" * 32) == "p" * 32
