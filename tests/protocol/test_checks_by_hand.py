"""hello, ping and storage.* are checked by hand on the start's hot path: as strictly as the types say, and no more."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from sidekeep.errors import InvalidParams
from sidekeep.handlers.table import TABLE
from sidekeep.protocol import methods
from sidekeep.protocol.methods import METHODS

BY_HAND = sorted(name for name in METHODS if name in ("hello", "ping") or name.startswith("storage."))

texts = st.text(max_size=5)
atoms = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(
    atoms
    | st.sampled_from(["x" * length for length in (100, 101, 1000, 1001)])
    | st.sampled_from([0, 1, 2, True, 1.0, -1])
    | st.lists(texts, max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
KNOWN = ("client", "version", "protocol", "profile", "incognito", "keys", "items", "values", "unknown")
HELLO: dict[str, Any] = {"client": "c", "version": "1", "protocol": 1}


@pytest.mark.parametrize("method", BY_HAND)
@given(params=st.dictionaries(st.sampled_from(KNOWN), values), valid=st.sampled_from([{}, HELLO]))
@example(params={"protocol": True}, valid=HELLO)
@example(params={"protocol": 1.0}, valid=HELLO)
@example(params={"profile": "x" * 101}, valid=HELLO)
@example(params={"incognito": None, "profile": None}, valid=HELLO)
@example(params={"keys": ["a"], "values": 1}, valid={})
@example(params={"keys": ["a", 1], "values": True}, valid={})
def test_the_check_and_the_type_accept_and_refuse_the_same(
    method: str, params: dict[str, Any], valid: dict[str, Any]
) -> None:
    params = {**valid, **params}
    assert _accepts_by_hand(method, params) == _accepts_by_type(method, params)


def _accepts_by_hand(method: str, params: dict[str, Any]) -> bool:
    try:
        TABLE[method].resolve().parse(params)
    except InvalidParams as exc:
        return not exc.data["errors"]  # a refusal says where and why
    return True


def _accepts_by_type(method: str, params: dict[str, Any]) -> bool:
    try:
        methods.load(METHODS[method].params).model_validate(params)
    except ValidationError:
        return False
    return True
