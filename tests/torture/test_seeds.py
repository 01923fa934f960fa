"""What a fuzzer begins from, and what it ever found, is checked again without it."""

import pytest

from sidekeep.domain import plain_json
from sidekeep.transport import framing
from tasks.torture import targets
from tasks.torture.targets import TARGETS, Wrong


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_is_well(name: str) -> None:
    found = targets.seeds(name)
    assert found
    for seed in found:
        TARGETS[name].check(seed)


def test_what_a_target_expects_is_noticed_where_it_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "encode", lambda _payload: b"")
    with pytest.raises(Wrong, match="sent again"):
        TARGETS["frames"].check(b"\1\0\0\0x")
    monkeypatch.setattr(
        targets, "split", lambda _message, _size: [b'{"part":{"stream":"a","seq":0,"last":true,"text":"2"}}']
    )
    with pytest.raises(Wrong, match="split"):
        TARGETS["parts"].check(b"1")
    monkeypatch.setattr(plain_json, "loads", lambda _raw: 2)
    with pytest.raises(Wrong, match="hello"):
        TARGETS["messages"].check(b"1")


def test_the_shares_are_the_whole() -> None:
    assert sum(target.share for target in TARGETS.values()) == pytest.approx(1)
