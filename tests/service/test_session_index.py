"""What a chat's measure says of its messages, however they came."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain import json_value
from sidekeep.domain.chat import Measure
from sidekeep.domain.message import MessageId, StoredMessage
from sidekeep.service import session_index


def _stored(text: str) -> StoredMessage:
    body = orjson.dumps({"role": "user", "content": text})
    return StoredMessage(MessageId("m"), "user", 0, None, len(text), len(body), body, message_pk=1)


@given(st.lists(st.lists(st.text('a<"日🎉\n', max_size=6), max_size=4), max_size=5))
def test_a_measure_is_the_same_whether_messages_come_one_by_one_or_at_once(batches: list[list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_index, "DIGEST_CHARS", 12)
        messages = [_stored(text) for batch in batches for text in batch]
        measure = Measure()
        for batch in batches:
            measure = session_index.grown(measure, [_stored(text) for text in batch])
        digest = session_index.digest_of(messages)
        assert measure == Measure(
            messages=len(messages),
            area_bytes=sum(message.area_bytes for message in messages),
            digest_chars=len(digest) if messages else -1,
            digest_bytes=json_value.size_of("", orjson.dumps(digest), digest) - len('""'),
            bytes=sum(message.size for message in messages),
        )
