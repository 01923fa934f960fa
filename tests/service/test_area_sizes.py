"""A quota is the caller's wish, counted as the browser counts; and one key's write shows no other key."""

import pytest
from tests.support.stores import OWN, listen, say

from sidekeep.errors import QuotaExceeded
from sidekeep.service.services import Services


@pytest.fixture
def empty(services: Services) -> Services:
    """Services whose area holds nothing."""
    services.area.clear(OWN)
    return services


def test_an_area_may_be_filled_to_its_quota_and_not_a_byte_over(empty: Services) -> None:
    empty.area.set(OWN, {"k": "x" * 7}, quota_bytes=10)
    assert empty.area.bytes_in_use(OWN, None) == 10
    with pytest.raises(QuotaExceeded):
        empty.area.set(OWN, {"k": "x" * 8}, quota_bytes=10)


def test_over_its_quota_a_write_leaves_every_key_as_it_was(empty: Services) -> None:
    empty.area.set(OWN, {"old": 1})
    with pytest.raises(QuotaExceeded):
        empty.area.set(OWN, {"old": 2, "new": "x" * 100, "history": [say("a")]}, quota_bytes=50)
    assert empty.area.get(OWN, None) == {"old": b"1"}


def test_what_a_write_replaces_does_not_count(empty: Services) -> None:
    empty.area.set(OWN, {"a": "x" * 7, "b": 1}, quota_bytes=12)
    empty.area.set(OWN, {"a": 1, "b": "x" * 7}, quota_bytes=12)
    assert empty.area.keys(OWN) == ["a", "b"]


def test_messages_set_through_the_area_count_against_the_quota(empty: Services) -> None:
    empty.area.set(OWN, {"history": [say("x" * 90)]})
    with pytest.raises(QuotaExceeded):
        empty.area.set(OWN, {"k": 1}, quota_bytes=100)


def test_a_history_that_was_set_shows_no_key_beside_it(empty: Services) -> None:
    empty.area.set(OWN, {"history": [say("a")]})
    assert empty.area.keys(OWN) == ["history"]
    assert list(empty.area.get(OWN, None)) == ["history"]
    heard = listen(empty)
    empty.area.clear(OWN)
    assert [list(changes) for changes in heard()] == [["history"]]
