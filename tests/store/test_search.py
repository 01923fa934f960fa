"""Full-text search: every text in any script is found by any part of it, nothing else is, and the index equals the rows."""

import contextlib
import tracemalloc
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import orjson
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from sidekeep.domain import search_text
from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import MessageId, NewMessage
from sidekeep.store import archived, archives, changes, erasing, search, search_grams, search_index, traces, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.database import Database, Transaction
from sidekeep.store.migrations import STEPS

Open = Callable[[], Database]

NOW_MS = 1_700_000_000_000
DELETED = Departure("sidekeep", "deleted", NOW_MS, "A chat")


def _message(text: str, number: int = 0) -> NewMessage:
    body = orjson.dumps({"role": "user", "content": text})
    return NewMessage(MessageId(f"m{number}"), "user", NOW_MS, None, len(body), len(body), body)


def _transcript(tx: Transaction, *texts: str, indexed: bool = True) -> SessionId:
    """A transcript of those texts; without `indexed` the texts wait for their grams."""
    session_id = transcripts.create(tx, NOW_MS)
    for number, text in enumerate(texts):
        transcripts.append(tx, session_id, _message(text, number))
    if indexed:
        search_index.catch_up(tx)
    return session_id


def _is_found(tx: Transaction, query: str, session_id: SessionId) -> bool:
    return session_id in search.Search(tx, search_text.parse(query)).transcripts([session_id])


def _archives(tx: Transaction, query: str, namespace: str = "sidekeep") -> set[str]:
    return search.Search(tx, search_text.parse(query)).archives(namespace)


FOUND = {
    "two Chinese characters": ("我住在日本东京", "日本"),
    "one Chinese character": ("我住在日本东京", "东"),
    "the last character of all": ("我住在日本东京", "京"),
    "a name with signs": ("Is it C++ or Rust?", "C++"),
    "a letter": ("Is it C++ or Rust?", "C"),
    "without the accent": ("a naïve question", "naive"),
    "with an accent that is not there": ("a naive question", "naïve"),
    "an accent as a mark of its own": ("a naïve question", unicodedata.normalize("NFD", "naïve")),
    "a number sign": ("see #123 there", "#123"),
    "part of an address": ("https://example.org/wiki/Sprachen?id=7#top", "org/wiki/Spr"),
    "the middle of a word": ("an extraordinary day", "ordina"),
    "an emoji": ("well done 🎉!", "🎉"),
    "an emoji without its skin tone": ("hello 👋🏽", "👋"),
    "a heart with and without its selector": ("I ❤️ it", "❤"),
    "capitals": ("das große Haus", "GROSSE"),
    "a sharp s": ("STRASSE", "straße"),
    "a Turkish capital": ("İstanbul'da", "istanbul"),
    "a Turkish word in capitals": ("ışık", "IŞIK"),
    "a final sigma": ("ΟΔΟΣ", "οδός"),
    "Arabic with vowel signs": ("مُحَمَّد", "محمد"),
    "a Korean syllable": ("안녕하세요", "녕"),
    "wide letters": ("ＳＱＬ", "sql"),
    "words apart": ("flights from Rome to Oslo", "oslo rome"),
    "a phrase over a line break": ("one two\n  three", "two three"),
    "a quote": ('he said "no"', '"no'),
    "a quote alone": ('he said "no"', '"'),
    "an asterisk": ("2*3", "*"),
    "a null character": ("a\x00b", "b"),
}


@pytest.mark.parametrize("indexed", [True, False], ids=["with grams", "without"])
@pytest.mark.parametrize(("text", "query"), FOUND.values(), ids=FOUND.keys())
def test_it_is_found(database: Database, text: str, query: str, indexed: bool) -> None:
    with database.transaction() as tx:
        session_id = _transcript(tx, "something else", text, indexed=indexed)
        assert _is_found(tx, query, session_id)


NOT_FOUND = {
    "another kana": ("カラオケ", "ガ"),
    "another syllable": ("안녕", "녀"),
    "another vowel": ("กิน", "กี"),
    "another letter in Russian": ("мои", "мой"),
    "all grams but not the word": ("abcd bcde", "abcde"),
    "one of many words": ("abcd bcde flights hotels museums weather", "flights hotels museums weather abcde"),
    "words of two messages": ("first", "first else"),
    "an operator": ("apple", "apple OR pear"),
    "a prefix mark": ("apple", "app*"),
    "a column": ("apple", "grams:apple"),
    "a near group": ("apple pear", "NEAR(apple pear)"),
    "the words of an attachment's header": (
        "[Page context attached by sidekeep]\nMode: full\n---\n\nx",
        "page context",
    ),
    "what a data URL holds": ("data:image/png;base64," + "QUJD" * 40 + ") after", "QUJDQUJD"),
}


@pytest.mark.parametrize(("text", "query"), NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_it_is_not_found(database: Database, text: str, query: str) -> None:
    with database.transaction() as tx:
        session_id = _transcript(tx, "something else", text)
        assert not _is_found(tx, query, session_id)


def test_an_attachments_title_address_and_text_are_found(database: Database) -> None:
    text = (
        "[Page context attached by sidekeep]\nURL: https://example.org/a\nTitle: Herons\nMode: full\n---\n\n"
        + "x " * 60_000
    )
    with database.transaction() as tx:
        session_id = _transcript(tx, text + "the very end")
        assert all(_is_found(tx, query, session_id) for query in ("herons", "example.org/a", "very end"))


# Scripts whose characters combine, fold, or fall apart in different ways, so that texts of them meet each other's parts.
_CHARACTERS = st.sampled_from(
    [
        *"aAäßıİIC+#1 \n\"'*()日本東カガが한글กีกินकि👍👋🏽❤️éèймойМОЙשלוםΣςσ",
        "e\u0301",
        "か\u3099",
        "\u200d",
        "…",
        "ﬁ",
        "½",
    ]
)
_TEXT = st.one_of(
    st.lists(_CHARACTERS, max_size=12).map("".join), st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
)


@st.composite
def _texts_and_a_part(draw: st.DrawFn) -> tuple[list[str], str]:
    """A few texts, and a part of one of them that is cut between characters as a reader sees them."""
    texts = draw(st.lists(_TEXT, min_size=1, max_size=6))
    clusters = regex.findall(r"\X", draw(st.sampled_from(texts)))
    start = draw(st.integers(0, len(clusters)))
    return texts, "".join(clusters[start : start + draw(st.integers(1, 8))])


@pytest.fixture(scope="module")
def shared() -> Database:
    """One store in memory for many examples."""
    return Database(None)


@contextlib.contextmanager
def _undone(database: Database) -> Iterator[Transaction]:
    """A transaction of which nothing stays."""
    connection = database.connection()
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    finally:
        connection.execute("ROLLBACK")


@given(_texts_and_a_part())
def test_every_part_of_a_text_finds_it(shared: Database, drawn: tuple[list[str], str]) -> None:
    texts, part = drawn
    query = search_text.parse(part)
    with _undone(shared) as tx:
        sessions = [_transcript(tx, text, indexed=number % 2 == 0) for number, text in enumerate(texts)]
        found = set(search.Search(tx, query).transcripts(sessions))
        expected = {session for session, text in zip(sessions, texts, strict=True) if part in text}
        if not query.is_blank:
            assert expected <= found


# Constants that choose a way which a small store does not take by itself.
WAYS: dict[str, dict[str, int]] = {
    "few candidates": {},
    "many candidates": {"CANDIDATES_FOR_HOLDER": -1000},
    "many candidates, two messages at a time": {
        "CANDIDATES_FOR_HOLDER": -1000,
        "FEWEST": 2,
        "EXPECTED": 0,
        "FURTHER": 2,
    },
    "candidates whose holders are guessed": {"CANDIDATES_FOR_GUESS": 0},
    "a common query": {"COMMON_SPREAD": 1000},
    "a common query, two messages at a time": {"COMMON_SPREAD": 1000, "FEWEST": 2, "FURTHER": 2},
    "candidates that are mostly none": {"FEW": 1, "MANY": 10**9},
    "words that SQLite is not asked for": {"MAX_WORDS": 0},
}


@contextlib.contextmanager
def _going(way: dict[str, int]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in way.items():
            patch.setattr(search, name, value)
        for name in ("UNWEIGHED", "PROBE"):  # so that even short queries are weighed
            patch.setattr(search_grams, name, 1)
        yield


# Few letters, so that they meet; and whose each message is, so that conversations are written in turns and share messages.
_SHORT = st.text("abα日 ", max_size=8)
_MESSAGES = st.lists(st.tuples(st.one_of(_SHORT, _TEXT), st.sets(st.integers(0, 3), min_size=1)), max_size=16)


@settings(max_examples=300)
@given(st.sampled_from(list(WAYS.values())), _MESSAGES, st.one_of(_SHORT, _TEXT), st.integers(0, 16))
def test_a_search_finds_what_looking_at_every_text_finds(
    shared: Database, way: dict[str, int], messages: list[tuple[str, set[int]]], typed: str, indexed: int
) -> None:
    query = search_text.parse(typed)
    with _undone(shared) as tx, _going(way):
        sessions = [transcripts.create(tx, NOW_MS) for _ in range(4)]
        expected: dict[SessionId, list[int]] = {}
        for number, (text, holders) in enumerate(messages):
            first, *others = sorted(holders)
            key = transcripts.append(tx, sessions[first], _message(text, number))
            for other in others:
                transcripts.refer(tx, sessions[other], [(key, MessageId(f"m{number}"))])
            if not query.is_blank and query.is_in(search_text.fold(text)):
                for holder in holders:
                    expected.setdefault(sessions[holder], []).append(key)
            if number + 1 == indexed:
                search_index.catch_up(tx)
        found = search.Search(tx, query).transcripts(sessions)
        assert found.keys() == expected.keys()
        assert all(hit.message_pk in expected[session_id] for session_id, hit in found.items())


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_each_conversation_is_found_by_its_newest_closest_message(database: Database, way: dict[str, int]) -> None:
    with database.transaction() as tx, _going(way):
        close = _transcript(tx, "blue heron", "x", "heron, blue", "blue heron", "blueheron, blue heronry")
        old = _transcript(tx, "a blue heron", *["blue"] * 50)
        apart = _transcript(tx, "heron", "blue")
        hits = search.Search(tx, search_text.parse("Blue Heron")).transcripts([close, old, apart])
        assert hits == {
            close: search.Hit(transcripts.references(tx, close)[3][0], 2),
            old: search.Hit(transcripts.references(tx, old)[0][0], 2),
        }


def test_a_conversation_that_was_taken_up_again_is_found_by_what_it_had_before(database: Database) -> None:
    with database.transaction() as tx, _going(WAYS["candidates whose holders are guessed"]):
        left = _transcript(tx, "a heron")
        between = _transcript(tx, *["a heron"] * 5)
        transcripts.append(tx, left, _message("an owl", 1))
        search_index.catch_up(tx)
        assert search.Search(tx, search_text.parse("heron")).transcripts([left, between]).keys() == {left, between}


EDGES = {
    "a word": ("the heron, and", 2),
    "at both ends": ("heron", 2),
    "part of a word": ("herons", 1),
    "after a digit": ("7heron", 1),
    "after another script": ("日heron", 1),
    "before an accent's letter": ("heroné", 1),
    "between signs of other scripts": ("「heron」", 2),
    "beside an emoji": ("🎉heron🎉", 2),
}


@pytest.mark.parametrize(("text", "closeness"), EDGES.values(), ids=EDGES.keys())
def test_a_whole_word_is_closer(database: Database, text: str, closeness: int) -> None:
    with database.transaction() as tx:
        session_id = _transcript(tx, text)
        assert (
            search.Search(tx, search_text.parse("heron")).transcripts([session_id])[session_id].closeness == closeness
        )


def test_a_query_of_ten_thousand_characters_is_answered(database: Database) -> None:
    long = "".join(chr(0x4E00 + number % 3000) for number in range(10_000))
    with database.transaction() as tx:
        session_id = _transcript(tx, f"before {long} after")
        assert _is_found(tx, long, session_id)
        assert not _is_found(tx, long[:-1] + "x", session_id)
        assert _is_found(tx, " ".join(long), session_id)
        assert not _is_found(tx, '" OR ' * 2000, session_id)


def test_a_message_is_indexed_once_whoever_refers_to_it(database: Database) -> None:
    with database.transaction() as tx:
        source = _transcript(tx, "heron")
        copies = [transcripts.create(tx, NOW_MS) for _ in range(3)]
        for copy in copies:
            transcripts.copy(tx, source, copy)
        assert tx.execute("SELECT count(*) FROM search_texts").fetchall() == [(1,)]
        assert set(search.Search(tx, search_text.parse("heron")).transcripts([source, *copies])) == {source, *copies}


def test_one_archive_is_found_among_many_messages_with_the_word(database: Database) -> None:
    with database.transaction() as tx:
        archives.release(tx, [_transcript(tx, "a heron", "an owl")], DELETED)
        for _ in range(2 * search.CANDIDATES_FOR_GUESS):
            _transcript(tx, "another heron", *(["nothing of the kind"] * 30))
        assert len(_archives(tx, "heron")) == 1


def test_an_archive_is_found_by_its_text_after_the_rows_are_gone(database: Database) -> None:
    with database.transaction() as tx:
        archives.release(tx, [_transcript(tx, "a heron", "an owl")], DELETED)
        changes.prune(tx, NOW_MS + 1)
        (archive_id,) = _archives(tx, "heron")
        assert _archives(tx, "heron", "somebody else") == set()
        assert _archives(tx, "eagle") == set()
        assert list(search_index.complaints(tx)) == []
        fresh = _transcript(tx, "an eagle")
        assert _archives(tx, "eagle") == set(), "the key of an archived text is not given again"
        given_back = archived.give_back(tx, archive_id, NOW_MS)
        assert _archives(tx, "heron") == set()
        assert _is_found(tx, "heron", given_back)
        transcripts.delete(tx, fresh, NOW_MS)
        transcripts.delete(tx, given_back, NOW_MS)
        changes.prune(tx, NOW_MS + 1)
        assert _is_empty(tx)


@pytest.mark.parametrize("is_pruned", [False, True], ids=["rows are there", "rows are gone"])
def test_an_erased_archive_leaves_nothing_in_the_index(database: Database, is_pruned: bool) -> None:
    with database.transaction(erasing=True) as tx:
        archives.release(tx, [_transcript(tx, "a heron")], DELETED)
        if is_pruned:
            changes.prune(tx, NOW_MS + 1)
        (archive_id,) = _archives(tx, "heron")
        erasing.archives(tx, [archive_id])
        assert _is_empty(tx)


def test_no_gram_of_what_was_erased_stays_in_the_file(database: Database, path: Path, tmp_path: Path) -> None:
    erased, kept = "鷺".encode(), "鷹".encode()
    with database.transaction() as tx:
        session_id = _transcript(tx, "鷺")
        _transcript(tx, "鷹")
    database.connection().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert erased in path.read_bytes()
    with database.transaction(erasing=True) as tx:
        erasing.transcripts_of(tx, [session_id], NOW_MS)
        traces.mark(tx)
    traces.remove(database, tmp_path / "locks")
    assert erased not in path.read_bytes()
    assert kept in path.read_bytes()


def test_a_row_that_a_client_has_still_to_hear_of_keeps_its_text(database: Database) -> None:
    with database.transaction() as tx:
        transcripts.delete(tx, _transcript(tx, "heron"), NOW_MS)
        assert list(search_index.complaints(tx)) == []
        changes.prune(tx, NOW_MS + 1)
        assert _is_empty(tx)


def test_a_transaction_that_fails_leaves_nothing_in_the_index(database: Database) -> None:
    with _undone(database) as tx:
        _transcript(tx, "heron")
    with database.transaction() as tx:
        assert _is_empty(tx)


def test_texts_get_their_grams_oldest_first_in_portions(database: Database) -> None:
    with database.transaction() as tx:
        session_id = _transcript(tx, "heron", "an eagle", "an owl", indexed=False)
        keys = [key for key, _ in transcripts.references(tx, session_id)]
        portions = []
        while search_index.is_behind(tx):
            search_index.catch_up(tx, len("heron") + 1)
            assert list(search_index.complaints(tx)) == []
            portions.append(search_index.grams_until(tx))
        assert portions == keys[1:]
        for bird in ("heron", "eagle", "owl"):
            assert len(search_grams.newest(tx, search_grams.of((bird,)))) == 1
            assert search_grams.waiting(tx, [bird.encode()]) == []


def test_a_key_that_is_given_again_gets_grams_again(database: Database) -> None:
    with database.transaction() as tx:
        kept = _transcript(tx, "a heron")
        gone = _transcript(tx, "an owl")
        (key,) = [key for key, _ in transcripts.references(tx, gone)]
        transcripts.delete(tx, gone, NOW_MS)
        changes.prune(tx, NOW_MS + 1)
        again = _transcript(tx, "an eagle", indexed=False)
        assert [key] == [key for key, _ in transcripts.references(tx, again)], "else this test tests nothing"
        assert _is_found(tx, "eagle", again)
        search_index.catch_up(tx)
        assert list(search_index.complaints(tx)) == []
        assert all(_is_found(tx, *found) for found in (("eagle", again), ("heron", kept)))
        assert not _is_found(tx, "owl", again)


def test_what_goes_before_it_has_grams_leaves_none(database: Database) -> None:
    with database.transaction() as tx:
        _transcript(tx, "a heron")
        gone = _transcript(tx, "an owl", indexed=False)
        archived_ = _transcript(tx, "an eagle", indexed=False)
        archives.release(tx, [archived_], DELETED)
        transcripts.delete(tx, gone, NOW_MS)
        changes.prune(tx, NOW_MS + 1)
        assert len(_archives(tx, "eagle")) == 1
        search_index.catch_up(tx)
        assert len(_archives(tx, "eagle")) == 1
        assert search_grams.newest(tx, search_grams.of(("owl",))) == []
        assert list(search_index.complaints(tx)) == []


DAMAGE = {
    "a text that is missing": ("DELETE FROM search_texts", "no text"),
    "another text": ("UPDATE search_texts SET text = CAST('owl' AS BLOB)", "another text"),
    "a text too many": ("INSERT INTO search_texts VALUES (99, CAST('owl' AS BLOB))", "no message and no archive"),
    "grams of nothing": ("INSERT INTO search_grams (rowid, grams) VALUES (7, 'owl')", "grams"),
    "grams that are missing": ("INSERT INTO search_grams (search_grams) VALUES ('delete-all')", "grams"),
    "grams that are to come of no text": ("UPDATE meta SET value = '4' WHERE name = 'grams_until'", "whole up to 4"),
    "grams that are taken for none": ("UPDATE meta SET value = '2' WHERE name = 'grams_until'", "grams"),
}


@pytest.mark.parametrize(("statement", "complaint"), DAMAGE.values(), ids=DAMAGE.keys())
def test_an_index_that_differs_from_the_rows_is_told(database: Database, statement: str, complaint: str) -> None:
    with database.transaction() as tx:
        _transcript(tx, "a heron", "日本", "")
        assert list(search_index.complaints(tx)) == []
        tx.execute(statement)
        assert any(complaint in line for line in search_index.complaints(tx))


def test_comparing_the_index_takes_as_much_memory_for_many_grams_as_for_few(database: Database) -> None:
    scripts = iter(range(0x4E00, 0x9E00))
    with database.transaction() as tx:
        peaks = []
        for texts in (10, 200):
            _transcript(tx, *("".join(chr(next(scripts)) for _ in range(60)) for _ in range(texts)))
            tracemalloc.start()
            assert list(search_index.complaints(tx)) == []
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


def test_a_store_from_before_gets_its_index(database: Database) -> None:
    with database.transaction() as tx:
        kept = _transcript(tx, "a heron", "日本")
        archives.release(tx, [_transcript(tx, "an owl")], DELETED)
        changes.prune(tx, NOW_MS + 1)
        for table in ("search_archived", "search_archives", "search_grams", "search_texts"):
            tx.execute(f"DROP TABLE {table}")
        tx.execute("DELETE FROM meta WHERE name = 'grams_until'")
        for step in ("search", "grams later"):
            dict(STEPS)[step](tx)
        for _ in range(2):
            assert _is_found(tx, "本", kept)
            assert len(_archives(tx, "owl")) == 1
            assert list(search_index.complaints(tx)) == []
            search_index.catch_up(tx)


def test_a_store_whose_grams_came_with_the_texts_keeps_them(database: Database) -> None:
    with database.transaction() as tx:
        session_id = _transcript(tx, "a heron")
        tx.execute("DELETE FROM meta WHERE name = 'grams_until'")
        dict(STEPS)["grams later"](tx)
        assert not search_index.is_behind(tx)
        assert _is_found(tx, "heron", session_id)
        assert list(search_index.complaints(tx)) == []


def _is_empty(tx: Transaction) -> bool:
    tables: list[tuple[int]] = [
        *tx.execute("SELECT count(*) FROM search_texts"),
        *tx.execute("SELECT count(*) FROM search_archived"),
        *tx.execute("SELECT count(*) FROM search_archives"),
    ]
    return tables == [(0,)] * 3 and list(search_index.complaints(tx)) == []
