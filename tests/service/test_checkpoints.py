"""Compactions, and the way back from them."""

import orjson
import pytest
from tests.service.test_families import SUMMARY, archived_sessions, compacted, talk
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    chat_ids,
    chat_texts,
    listen,
    live_messages,
    live_texts,
    plain,
    rows,
    say,
)

from sidekeep.domain.checkpoint import MAX_CHECKPOINTS
from sidekeep.domain.compaction import SUMMARY_HEADER
from sidekeep.domain.message import MessageId
from sidekeep.errors import Conflict, InvalidParams, NotFound
from sidekeep.service import in_memory
from sidekeep.service.services import Services
from sidekeep.store import entries, transcripts

MARKED = f"{SUMMARY_HEADER}\n\n{SUMMARY}"
WHOLE = [f"{who} {number}" for number in (1, 2, 3, 4) for who in ("question", "answer")]
KEPT = [MARKED, *WHOLE[4:]]


def usage(prompt: int, completion: int) -> dict[str, int]:
    return {"promptTokens": prompt, "completionTokens": completion}


def test_a_summary_takes_the_place_of_the_older_turns(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    done = services.checkpoints.compact(OWN, None, f" {SUMMARY} \n")
    assert live_texts(services) == KEPT
    assert chat_texts(services, done.chat.id) == KEPT
    assert live_messages(services)[0]["role"] == "user"
    assert live_messages(services)[0]["summaryOf"] == done.checkpoint.id
    assert (done.checkpoint.reason, done.checkpoint.after, done.messages_before) == ("compact", done.chat.session_id, 8)
    assert done.chat.usage_family == (done.checkpoint.before,)


def test_the_whole_is_still_there_to_be_shown(services: Services) -> None:
    chat_id, *_ = compacted(services)
    ((checkpoint, messages),) = services.checkpoints.all(OWN, chat_id)
    assert messages == 8
    shown = plain(services.checkpoints.transcript(OWN, chat_id, checkpoint.id, "none"))
    assert [message["content"] for message in shown] == WHOLE


def test_it_goes_on_in_the_same_chat(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    done = services.checkpoints.compact(OWN, None, SUMMARY)
    talk(services, 5)
    assert chat_ids(services) == [done.chat.id]
    assert chat_texts(services, done.chat.id) == [*KEPT, "question 5", "answer 5"]
    assert services.chats.get(OWN, done.chat.id, "none")[0].name == "question 1"


def test_a_profile_that_has_the_chat_open_goes_along(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    (chat_id,) = chat_ids(services)
    services.chats.load(OTHER_PROFILE, chat_id)
    services.checkpoints.compact(OWN, chat_id, SUMMARY)
    assert live_texts(services, OTHER_PROFILE) == KEPT


def test_a_profile_whose_conversation_was_made_longer_keeps_what_it_has(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    (chat_id,) = chat_ids(services)
    services.chats.load(OTHER_PROFILE, chat_id)
    longer = [*orjson.loads(services.area.get(OTHER_PROFILE, ["history"])["history"]), say("more")]
    services.area.set(OTHER_PROFILE, {"history": longer})
    services.checkpoints.compact(OWN, chat_id, SUMMARY)
    assert live_texts(services, OTHER_PROFILE) == [*WHOLE, "more"]


def test_a_profile_that_is_behind_is_no_chat_of_its_own_by_a_compaction(services: Services) -> None:
    talk(services, 1, 2, 3)
    (chat_id,) = chat_ids(services)
    services.chats.load(OTHER_PROFILE, chat_id)
    talk(services, 4)
    services.checkpoints.compact(OTHER_PROFILE, chat_id, SUMMARY)
    assert chat_ids(services) == [chat_id]
    assert chat_texts(services, chat_id) == KEPT


def test_a_compaction_that_makes_a_chat_first_says_which_is_active(services: Services) -> None:
    services.area.set(OWN, {"history": [say(f"question {number} " + "and more " * 9) for number in range(4)]})
    heard = listen(services)
    done = services.checkpoints.compact(OWN, None, SUMMARY)
    assert [change["activeSessionId"] for change in heard() if "activeSessionId" in change] == [
        {"newValue": done.chat.id}
    ]


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_body_that_is_set_or_removed_leaves_no_checkpoint_without_its_transcript(
    services: Services, *, is_listed: bool
) -> None:
    chat_id, after, before = compacted(services)
    key = f"session_{chat_id}"
    services.area.set(OWN, {key: [*orjson.loads(services.area.get(OWN, [key])[key]), say("set")]})
    services.area.set(OWN, {key: [say("set")]})
    ((_checkpoint, messages),) = services.checkpoints.all(OWN, chat_id)
    assert messages == 8
    with services.database.reading() as tx:
        assert transcripts.exists(tx, before)
        assert transcripts.exists(tx, after), "the checkpoint names it"
    if not is_listed:
        services.area.set(OWN, {"savedSessions": []})
    services.area.remove(OWN, [key])
    with services.database.reading() as tx:
        named = entries.referenced_family_ids(tx)
        assert {name for (name,) in tx.execute("SELECT session_id FROM sessions")} == named
    assert (before in archived_sessions(services)) != is_listed


def test_what_came_meanwhile_stands_after_the_summary_once(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    first_kept = MessageId(live_messages(services)[6]["id"])
    services.conversation.append(OWN, say("one more thing"))
    services.checkpoints.compact(OWN, None, SUMMARY, first_kept=first_kept)
    assert live_texts(services) == [MARKED, *WHOLE[6:], "one more thing"]


@pytest.mark.parametrize(
    ("summary", "error"), [("", InvalidParams), (" \n", InvalidParams), ("long " * 100, InvalidParams)]
)
def test_a_summary_that_says_nothing_or_too_much_changes_nothing(
    services: Services, summary: str, error: type[Exception]
) -> None:
    talk(services, 1, 2, 3, 4)
    with pytest.raises(error):
        services.checkpoints.compact(OWN, None, summary)
    assert live_texts(services) == WHOLE
    assert services.checkpoints.all(OWN, chat_ids(services)[0]) == []
    assert rows(services, "sessions") == 2


def test_where_there_is_nothing_to_summarise_it_says_so(services: Services) -> None:
    with pytest.raises(Conflict):
        services.checkpoints.compact(OWN, None, SUMMARY)
    talk(services, 1)
    with pytest.raises(Conflict):
        services.checkpoints.compact(OWN, None, SUMMARY)
    talk(services, 2, 3, 4)
    services.checkpoints.compact(OWN, None, SUMMARY)
    with pytest.raises(Conflict, match="already"):
        services.checkpoints.compact(OWN, None, "Shorter.")
    with pytest.raises(NotFound):
        services.checkpoints.compact(OWN, "nowhere", SUMMARY)


def test_a_second_compaction_covers_what_the_first_had_kept(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    first = services.checkpoints.compact(OWN, None, SUMMARY)
    talk(services, 5, 6)
    second = services.checkpoints.compact(OWN, None, "They talked on.")
    assert live_texts(services)[1:] == ["question 5", "answer 5", "question 6", "answer 6"]
    assert second.checkpoint.before == first.checkpoint.after, "shared, not copied"
    whole = plain(services.checkpoints.transcript(OWN, second.chat.id, second.checkpoint.id, "none"))
    assert [message["content"] for message in whole[: len(KEPT)]] == KEPT


def test_restoring_returns_to_what_was_and_leads_back_again(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    done = services.checkpoints.compact(OWN, None, SUMMARY)
    talk(services, 5)
    restored = services.checkpoints.restore(OWN, done.chat.id, done.checkpoint.id)
    assert live_texts(services) == chat_texts(services, done.chat.id) == WHOLE
    assert restored.checkpoint.reason == "restore"
    talk(services, 6)
    services.checkpoints.restore(OWN, done.chat.id, restored.checkpoint.id)
    assert live_texts(services) == [*KEPT, "question 5", "answer 5"]
    shown = plain(services.checkpoints.transcript(OWN, done.chat.id, done.checkpoint.id, "none"))
    assert [message["content"] for message in shown] == WHOLE, "what came after the return did not change it"


def test_the_oldest_checkpoint_goes_when_there_are_too_many(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    done = services.checkpoints.compact(OWN, None, SUMMARY)
    last = done
    for _ in range(MAX_CHECKPOINTS):
        last = services.checkpoints.restore(OWN, done.chat.id, last.checkpoint.id)
    found = services.checkpoints.all(OWN, done.chat.id)
    assert len(found) == MAX_CHECKPOINTS
    assert found[-1][0] == last.checkpoint
    assert done.checkpoint.id not in [checkpoint.id for checkpoint, _ in found]
    assert archived_sessions(services) == {done.checkpoint.before: "earlier"}
    family = services.chats.get(OWN, done.chat.id, "none")[0].usage_family
    assert done.checkpoint.before not in family


def test_deleting_a_checkpoint_keeps_what_another_one_names(services: Services) -> None:
    talk(services, 1, 2, 3, 4)
    first = services.checkpoints.compact(OWN, None, SUMMARY)
    talk(services, 5, 6)
    second = services.checkpoints.compact(OWN, None, "They talked on.")
    services.checkpoints.delete(OWN, first.chat.id, first.checkpoint.id)
    assert archived_sessions(services) == {first.checkpoint.before: "earlier"}
    shared = first.checkpoint.after
    assert services.chats.get(OWN, first.chat.id, "none")[0].usage_family == (shared,)
    services.checkpoints.delete(OWN, first.chat.id, second.checkpoint.id)
    assert set(archived_sessions(services)) == {first.checkpoint.before, shared}
    assert live_texts(services)[1:] == ["question 5", "answer 5", "question 6", "answer 6"]


def test_tokens_add_up_over_compactions_removals_and_new_chats(services: Services) -> None:
    talk(services, 1, 2, 3)
    for number in (4, 5):
        services.conversation.append(OWN, say(f"question {number}"))
        answer = say("answer", role="assistant", usage={**usage(100, 10), "cost": {"amount": 0.25, "currency": "USD"}})
        services.conversation.append(OWN, answer)
    chat = services.checkpoints.compact(OWN, None, SUMMARY).chat
    services.conversation.remove(OWN, live_messages(services)[-1]["id"])
    services.conversation.append(OWN, say("again", role="assistant", usage=usage(1000, 1)))
    services.conversation.clear(OWN)
    spent = services.chats.get(OWN, chat.id, "none")[0].usage
    assert (spent.prompt_tokens, spent.completion_tokens, dict(spent.costs)) == (1200, 21, {"USD": 0.5})
    services.conversation.append(OWN, say("new"))
    services.conversation.append(OWN, say("answer", role="assistant", usage=usage(5, 5)))
    with services.database.reading() as tx:
        own = entries.live(tx, OWN)
    assert own is not None
    assert (own.usage.prompt_tokens, own.usage.completion_tokens) == (1205, 26), "a reset keeps the totals"


def test_a_temporary_chat_is_compacted_in_memory(services: Services) -> None:
    temporary = in_memory.open_beside(services, OWN)
    talk(temporary, 1, 2, 3, 4)
    temporary.checkpoints.compact(OWN, None, SUMMARY)
    assert live_texts(temporary) == KEPT
    assert rows(services, "messages") == 0
