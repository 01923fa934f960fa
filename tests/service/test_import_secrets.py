"""No key of a foreign file comes anywhere: not into the store, the report, the log, nor into what is exported of it."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support import exports
from tests.support.stores import OWN, chat_ids, open_services, plain, rows

from sidekeep.domain.chat import ChatId
from sidekeep.handlers.transfer import imported
from sidekeep.service.export_view import Format, Order
from sidekeep.service.services import Services
from sidekeep.store import entries, imports

# In what a person wrote, and so it stays; and everywhere else, where it may not.
WRITTEN = "sk-proj-Wr1tten0Wr1tten0Wr1tten0"
NEEDLE = "Zq7Rk2Vw9Ab3"
BY_VALUE = f"sk-proj-{NEEDLE}Cd5{NEEDLE}"
QUESTION = f"Why does {WRITTEN} not work? Authorization: Bearer {WRITTEN}"

# Settings as programs have them, under names that say it and under names that do not.
SETTINGS: dict[str, Any] = {
    "apiKey": NEEDLE,
    "token": f"t-{NEEDLE}",
    "cookie": f"sid={NEEDLE}; a=b",
    "credentials": {"user": NEEDLE},
    "OPENAI_API_KEYS": [NEEDLE],
    "headers": [{"key": "Authorization", "value": NEEDLE}, {"name": "x-api-key", "value": NEEDLE}],
    "customHeaders": f"Accept: a/b\nAuthorization: Basic {NEEDLE}",
    "saved": orjson.dumps({"state": {"apiKey": NEEDLE, "inner": orjson.dumps({"password": NEEDLE}).decode()}}).decode(),
    "baseUrl": f"https://gate.example/v1?api_key={NEEDLE}",
    "other": [f"https://gate.example/v1?key={NEEDLE}{NEEDLE}", BY_VALUE],
    "note": f"the key is {BY_VALUE}.",
    "env": {"HF_TOKEN": NEEDLE},
    "args": [f"--api-key={NEEDLE}"],
    "name": BY_VALUE,
    "usage": {BY_VALUE: 5, "model": {"apiKey": NEEDLE}},
    "max_tokens": 4096,
    "tokenizer": "cl100k_base",
}
SECRETS = 18


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(tmp_path / "home") as opened:
        yield opened


def _asked(records: Any) -> bytes:
    return orjson.dumps(records).replace(orjson.dumps(exports.question(1)), orjson.dumps(QUESTION))


def _chatgpt() -> bytes:
    record = exports.chatgpt(1)
    tool = {
        "id": "t",
        "author": {"role": "tool"},
        "content": {"content_type": "x", "text": BY_VALUE},
        "metadata": SETTINGS,
    }
    record["mapping"]["t"] = {"id": "t", "parent": "a", "children": [], "message": tool}
    return _asked([{**record, "current_node": "t", "settings": SETTINGS}])


def _claude() -> bytes:
    record = exports.claude(1)
    record["chat_messages"][1]["content"].append({"type": "tool_use", "input": SETTINGS, "text": BY_VALUE})
    return _asked([record])


def _pageassist() -> bytes:
    chat = exports.pageassist(1)
    tool = {"role": "tool", "messageKind": "tool_result", "content": BY_VALUE, "toolCalls": [SETTINGS], "createdAt": 9}
    chat["messages"].append(tool)
    storage = {"local": orjson.dumps(SETTINGS).decode()}
    return _asked({"chat": [chat], "oaiConfigs": [SETTINGS], "mcpServers": [SETTINGS], "storageLocal": storage})


def _chatgptbox() -> bytes:
    session = {**exports.chatgptbox(1), "apiMode": SETTINGS, "bingWeb_conversation": SETTINGS}
    return _asked({"sessions": [session], **SETTINGS, "customApiModes": [SETTINGS]})


def _openwebui() -> bytes:
    record = exports.openwebui(1)
    record["chat"]["params"] = SETTINGS
    record["chat"]["history"]["messages"]["a"] |= {"sources": [{"metadata": [SETTINGS]}], "statusHistory": [SETTINGS]}
    return _asked([{**record, "variables": SETTINGS}])


def _librechat() -> bytes:
    record = exports.librechat(1)
    call = {"type": "tool_call", "tool_call": {"args": orjson.dumps(SETTINGS).decode(), "output": BY_VALUE}}
    record["messages"][1]["content"] = [{"type": "text", "text": "So."}, call]
    return _asked({**record, "options": SETTINGS})


def _browsa() -> bytes:
    body = exports.browsa_body(1)
    body[1] |= {"usage": SETTINGS, "settings": SETTINGS}
    entry = {**exports.browsa_entry(1), "settings": SETTINGS}
    return _asked(
        {"savedSessions": [entry], "session_c1": body, "providers": {"openai": SETTINGS}, "activeProvider": "openai"}
    )


def _transcript() -> bytes:
    entries = [
        {"type": "custom", "id": "x", "parentId": "a", "data": SETTINGS},
        {
            "type": "message",
            "id": "y",
            "parentId": "x",
            "message": {"role": "toolResult", "content": [{"text": BY_VALUE}]},
        },
    ]
    return exports.transcript(1).replace(exports.question(1).encode(), QUESTION.encode()) + b"".join(
        orjson.dumps(entry) + b"\n" for entry in entries
    )


FILES = {
    "chatgpt": _chatgpt,
    "claude": _claude,
    "pageassist": _pageassist,
    "chatgptbox": _chatgptbox,
    "openwebui": _openwebui,
    "librechat": _librechat,
    "browsa": _browsa,
    "transcript": _transcript,
}


def _everything(services: Services) -> bytes:
    """The store's bytes, and what lies packed in it."""
    with services.database.reading() as tx:
        kept = [imports.kept(tx, OWN.namespace, name) for name, _ in imports.fingerprints(tx, OWN.namespace)]
        return tx.serialize("main") + orjson.dumps(kept)


def _exported(services: Services, kind: Format, folder: Path, ids: list[str] | None) -> bytes:
    target = folder / f"{kind}-{len(ids or ())}"
    services.exports.make(OWN, Order(format=kind, ids=ids, target=target))
    files = [target] if target.is_file() else sorted(path for path in target.rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in files)


@pytest.mark.parametrize("source", FILES)
def test_no_key_of_a_foreign_file_comes_anywhere(
    services: Services, tmp_path: Path, caplog: pytest.LogCaptureFixture, source: str
) -> None:
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "x.json"
    file.write_bytes(FILES[source]())
    (tmp_path / "x.trajectory.jsonl").write_bytes(
        orjson.dumps({"settings": SETTINGS}) + f"\nnote: {BY_VALUE}\n".encode()
    )
    report = services.imports.run(OWN, [file])
    assert (report.sources, report.counts["added"], report.failed) == ([source], 1, [])
    (chat_id,) = chat_ids(services)
    written = [
        *(
            _exported(services, kind, tmp_path, ids)
            for kind in ("json", "markdown", "html")
            for ids in (None, [chat_id])
        ),
        _everything(services),
    ]
    assert all(NEEDLE.encode() not in each for each in written)
    assert all(WRITTEN.encode() in each for each in written), "what a person wrote stays"
    told = orjson.dumps(imported(report)) + caplog.text.encode()
    assert NEEDLE.encode() not in told
    assert WRITTEN.encode() not in told
    assert plain(services.chats.get(OWN, chat_id, "none")[2])[0]["content"] == QUESTION
    assert len(report.keys_found) >= SECRETS
    assert not [key for key in report.keys_found if "max_tokens" in key.where or "tokenizer" in key.where]
    state = rows(services, "messages"), rows(services, "imports")
    assert services.imports.run(OWN, [file]).counts["unchanged"] == 1
    assert (rows(services, "messages"), rows(services, "imports")) == state


def test_what_lies_in_the_store_leaves_without_its_keys(services: Services, tmp_path: Path) -> None:
    """Messages, entries, archives and records from before the rule, and what pages of the extension have set."""
    said = [
        {"role": "user", "content": QUESTION, "settings": SETTINGS},
        {"role": "assistant", "content": "So.", "data": SETTINGS},
    ]
    index = [{"id": "c", "name": "Keys", "createdAt": 1, "updatedAt": 1, "pinned": False, "settings": SETTINGS}]
    services.area.set(
        OWN, {"session_c": said, "savedSessions": index, "history": said, "settings": SETTINGS, **SETTINGS}
    )
    services.area.set(
        OWN, {"providers": {"a": {"kind": "openai-chat", "baseUrl": "http://127.0.0.1:9/v1", **SETTINGS}}}
    )
    with services.database.transaction() as tx:
        noted = imports.Imported(b"x" * 32, 1, ChatId("c"), 1)
        imports.put(tx, OWN.namespace, "claude:c", noted, now_ms=1, kept=[SETTINGS, {"text": BY_VALUE}])
        chat = entries.chat(tx, OWN.namespace, "c")
        assert chat is not None
        entries.put_chat(tx, OWN.namespace, chat._replace(extra={"settings": SETTINGS}))
    services.area.set(OWN, {"session_d": said, "savedSessions": [*index, {**index[0], "id": "d"}]})
    services.chats.delete(OWN, ["d"])
    for kind in ("json", "markdown", "html"):
        for ids in (None, ["c"]):
            written = _exported(services, kind, tmp_path, ids)
            assert NEEDLE.encode() not in written
            assert WRITTEN.encode() in written


def test_an_export_of_ours_that_holds_keys_after_all_brings_none(services: Services, tmp_path: Path) -> None:
    services.area.set(
        OWN, {"session_c": [{"role": "user", "content": QUESTION}], "savedSessions": [{"id": "c", "name": "Keys"}]}
    )
    with services.database.transaction() as tx:
        noted = imports.Imported(b"x" * 32, 1, ChatId("c"), 1)
        imports.put(tx, OWN.namespace, "claude:c", noted, now_ms=1, kept=[{"n": 1}])
    document = orjson.loads(_exported(services, "json", tmp_path, None))
    document["chats"][0]["entry"]["settings"] = SETTINGS
    document["imports"][0]["kept"] = [SETTINGS]
    for items in document["chats"][0]["transcripts"].values():
        items[0]["message"]["settings"] = SETTINGS
    file = tmp_path / "own.json"
    file.write_bytes(orjson.dumps(document))
    with open_services(tmp_path / "other") as other:
        report = other.imports.run(OWN, [file])
        assert (report.counts["added"], report.failed) == (1, [])
        assert NEEDLE.encode() not in _everything(other)
        assert WRITTEN.encode() in _everything(other)
        assert len(report.keys_found) >= 3 * SECRETS
