"""`sidekeep mcp` as a client runs it: by the official SDK's own client, over pipes."""

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import TextContent
from tests.support.dumps import every_row
from tests.support.stores import OWN, chat_ids, open_services, say

from mcp import ClientSession, StdioServerParameters, stdio_client
from sidekeep import paths
from sidekeep.cli import opened
from sidekeep.errors import StoreFailed
from sidekeep.store.database import Database

SECRET = "in an excluded folder"
ARCHIVED = "in the archive"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store with two chats, one of which is in an excluded folder, and one in the archive."""
    home = tmp_path / "home"
    with open_services(home) as services:
        for text in (ARCHIVED, SECRET, "open 日本"):
            services.conversation.clear(OWN)
            services.conversation.append(OWN, say(text))
            services.conversation.append(OWN, say(f"answer about tides, {text}", role="assistant"))
        services.conversation.clear(OWN)
        _, hidden, old = chat_ids(services)
        folder = services.folders.create(OWN, "Private")
        services.folders.exclude(OWN, folder.id, excluded=True)
        services.chats.move(OWN, hidden, folder.id)
        services.chats.delete(OWN, [old])
    return home


@asynccontextmanager
async def _client(home: Path) -> AsyncIterator[ClientSession]:
    server = StdioServerParameters(
        command=sys.executable, args=["-P", "-m", "sidekeep", "mcp"], env={"SIDEKEEP_HOME": str(home)}
    )
    with anyio.fail_after(60):
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session


async def _call(session: ClientSession, tool: str, **arguments: Any) -> Any:
    result = await session.call_tool(tool, arguments)
    texts = [each.text for each in result.content if isinstance(each, TextContent)]
    if result.is_error:
        return texts[0]
    found = [json.loads(text) for text in texts]
    return found[0] if tool == "read_conversation" else found


def _run(test: Callable[[], Any]) -> None:
    anyio.run(test)


def test_its_tools_say_that_they_only_read(home: Path) -> None:
    async def talk() -> None:
        async with _client(home) as session:
            tools = (await session.list_tools()).tools
            assert {tool.name for tool in tools} == {"search_conversations", "list_conversations", "read_conversation"}
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)

    _run(talk)


def test_chats_are_found_and_read_without_the_archive_and_excluded_folders(home: Path) -> None:
    async def talk() -> None:
        async with _client(home) as session:
            (listed,) = await _call(session, "list_conversations")
            assert listed["name"] == "open 日本"
            (found,) = await _call(session, "search_conversations", query="tides")
            assert (found["id"], "tides" in found["snippet"]) == (listed["id"], True)
            assert await _call(session, "search_conversations", query=SECRET) == []
            assert await _call(session, "search_conversations", query=ARCHIVED) == []
            read = await _call(session, "read_conversation", id=listed["id"], limit=1, offset=1)
            assert [(message["role"], message["text"]) for message in read["messages"]] == [
                ("assistant", "answer about tides, open 日本")
            ]

    _run(talk)


def test_a_chat_in_an_excluded_folder_cannot_be_read_by_its_id(home: Path) -> None:
    with open_services(home) as services:
        hidden = next(chat.id for chat, _ in services.chats.page(OWN, limit=9, offset=0).chats if chat.folder)

    async def talk() -> None:
        async with _client(home) as session:
            assert "not in the store" in await _call(session, "read_conversation", id=hidden)

    _run(talk)


def test_where_nothing_is_kept_yet_it_says_so_and_makes_nothing(tmp_path: Path) -> None:
    async def talk() -> None:
        async with _client(tmp_path / "none") as session:
            assert "no store" in await _call(session, "list_conversations")

    _run(talk)
    assert not (tmp_path / "none" / "sidekeep.sqlite3").exists()


BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "a limit of nothing": ("list_conversations", {"limit": 0}, "greater than or equal to 1"),
    "a limit beyond all pages": ("read_conversation", {"id": "x", "limit": 201}, "less than or equal to 200"),
    "an offset before the beginning": ("list_conversations", {"offset": -1}, "greater than or equal to 0"),
    "a query that is no text": ("search_conversations", {"query": {"a": 1}}, "valid string"),
    "no id": ("read_conversation", {}, "Field required"),
    "an id that leads elsewhere": ("read_conversation", {"id": "../../etc/passwd"}, "not in the store"),
}


def test_bad_arguments_are_told_and_the_server_goes_on(home: Path) -> None:
    async def talk() -> None:
        async with _client(home) as session:
            for name, (tool, arguments, said) in BAD.items():
                result = await session.call_tool(tool, arguments)
                assert result.is_error, name
                assert said in str(result.content), name
            assert len(await _call(session, "list_conversations")) == 1

    _run(talk)


def test_a_long_conversation_is_read_page_by_page_and_nothing_is_written(home: Path) -> None:
    with open_services(home) as services:
        services.area.set(OWN, {"session_long": [say(f"message {number}") for number in range(450)]})
        services.area.set(OWN, {"savedSessions": [{"id": "long", "name": "long"}]})
        before = every_row(services)

    async def talk() -> None:
        async with _client(home) as session:
            texts: list[str] = []
            while page := (await _call(session, "read_conversation", id="long", limit=200, offset=len(texts)))[
                "messages"
            ]:
                texts += [message["text"] for message in page]
            assert texts == [f"message {number}" for number in range(450)]
            await _call(session, "search_conversations", query="message")

    _run(talk)
    with Database(paths.database(home)).reading() as tx:
        assert {table: tx.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in before} == before


def test_what_it_opens_refuses_to_write(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDEKEEP_HOME", str(home))
    with opened.services("mcp", reads_only=True) as services:
        with pytest.raises(StoreFailed, match="only reads"):
            services.conversation.append(OWN, say("mine"))
        assert services.chats.page(OWN, limit=9, offset=0).chats
