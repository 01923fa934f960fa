"""The drawer: folders, days, search, several at once, the archive, and what limits have taken."""

from pathlib import Path

import pytest
from tests.extension.stage import Stage, stage
from tests.extension.test_conversation_view import message

from tasks.page import ENTER, ESCAPE
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["stage"]  # fixture

NOTE = "document.querySelector('#chats-note').textContent"
NAMES = "[...document.querySelectorAll('#chats-list [data-session-id] .title')].map((title) => title.textContent)"
GROUPS = "[...document.querySelectorAll('#chats-list h3')].map((title) => title.textContent)"
ARCHIVED = "[...document.querySelectorAll('[data-archive-id] .title')].map((title) => title.textContent)"
TEXTS = {
    "Ropes": "How is a bowline tied?",
    "Lights": "Why does it blink twice?",
    "日本": "これは日本の話",
}


@pytest.fixture
def panel(stage: Stage) -> Panel:
    """The panel with three saved chats and an open drawer."""
    stage.clear()
    opened = stage.panel
    opened.request("settings.set", settings={"limits.chats": None, "limits.messages": None})
    old = [chat["id"] for chat in opened.request("sessions.list", limit=200)["sessions"]]
    opened.request("sessions.delete", ids=old, forGood=True)
    archived = [one["id"] for one in opened.request("archive.list", limit=200)["archives"]]
    if archived:
        opened.request("archive.purge", ids=archived)
    for folder in opened.request("folders.list")["folders"]:
        opened.request("folders.delete", id=folder["id"])
    for number, (name, text) in enumerate(TEXTS.items()):
        opened.request("storage.set", items={"history": [message(number, "user", text)]})
        opened.request("sessions.save", name=name)
    opened.request("storage.set", items={"history": []})
    opened.press("chats")
    wait_names(opened, 3)
    return opened


def wait_names(panel: Panel, count: int) -> list[str]:
    found: list[str] = panel.page.until(f"({NAMES}).length === {count} && {NAMES}", what=f"{count} chats")
    return found


def in_row(name: str, action: str) -> str:
    """A button of the row of a chat."""
    return f'[data-session-id]:has([aria-label$="{name}"]) [data-action="{action}"]'


def choose_in_menu(panel: Panel, name: str, action: str) -> None:
    panel.page.click(in_row(name, "more-chat"))
    panel.page.click(f'.menu:popover-open [data-action="{action}"]')


def search(panel: Panel, query: str) -> None:
    panel.page.click("#chats-search")
    panel.page.evaluate("document.activeElement.select()")
    panel.page.type(query)


def test_chats_stand_under_their_day_and_a_pinned_one_above_all(panel: Panel) -> None:
    assert panel.page.evaluate(GROUPS) == ["Today"]
    choose_in_menu(panel, "Ropes", "pin-chat")
    panel.page.until(f"({GROUPS}).join() === 'Pinned,Today'", what="the pinned chat")
    assert wait_names(panel, 3)[0] == "Ropes"
    choose_in_menu(panel, "Ropes", "pin-chat")
    panel.page.until(f"({GROUPS}).join() === 'Today'", what="no pinned chat")


def test_a_chat_is_filed_by_keys_or_menu_and_found_in_its_folder(panel: Panel) -> None:
    panel.press("new-folder")
    panel.page.type("Harbour")
    panel.page.press(ENTER)
    panel.page.until("document.querySelector('.folder .title')?.textContent === 'Harbour'", what="the folder")
    choose_in_menu(panel, "Lights", "move-chat")
    folder = panel.request("folders.list")["folders"][0]["id"]
    panel.page.evaluate(f"document.querySelector('#chats-list form select').value = '{folder}'")
    panel.page.click("#chats-list [data-action=confirm]")
    panel.page.until("document.querySelector('.folder .about')?.textContent === '1'", what="the count")
    panel.page.click(".folder summary")
    panel.page.until("document.querySelector('.folder [data-session-id] .title')?.textContent === 'Lights'", what="it")
    assert panel.page.evaluate("document.querySelectorAll('#chats-list [data-session-id]').length") == 3


def test_a_chat_is_dropped_on_a_folder(panel: Panel) -> None:
    panel.request("folders.create", name="Harbour")
    panel.press("close-chats")
    panel.press("chats")
    panel.page.until("document.querySelector('.folder-row')", what="the folder")
    drop = """(() => {
      const data = new DataTransfer();
      const row = [...document.querySelectorAll('[data-session-id]')].find((one) => one.textContent.includes('Ropes'));
      row.dispatchEvent(new DragEvent('dragstart', {dataTransfer: data, bubbles: true}));
      const target = document.querySelector('.folder-row');
      return target.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
    })()"""
    assert panel.page.evaluate(drop) is False
    panel.page.until("document.querySelector('.folder .about')?.textContent === '1'", what="the count")


def test_a_folder_that_is_deleted_leaves_its_chats(panel: Panel) -> None:
    folder = panel.request("folders.create", name="Harbour")["id"]
    chat = panel.request("sessions.list")["sessions"][0]
    panel.request("sessions.move", id=chat["id"], folder=folder)
    panel.press("close-chats")
    panel.press("chats")
    panel.page.click("[data-action=more-folder]")
    panel.page.click(".menu:popover-open [data-action=delete-folder]")
    panel.page.until(f"({NOTE}).includes('still here')", what="the word of it")
    wait_names(panel, 3)


@pytest.mark.parametrize(("query", "name"), [("bowline", "Ropes"), ("blink TWICE", "Lights"), ("日本", "日本")])
def test_what_was_said_is_found_with_its_line(panel: Panel, query: str, name: str) -> None:
    search(panel, query)
    assert wait_names(panel, 1) == [name]
    if query != "日本":  # its name matched as well
        assert panel.page.evaluate("document.querySelector('.snippet mark')?.textContent.toLowerCase()")


def test_nothing_found_is_said_with_the_query(panel: Panel) -> None:
    search(panel, "zebra")
    panel.page.until(f"({NOTE}).includes('zebra')", what="the word of it")


def test_several_are_chosen_and_deleted_after_a_yes(panel: Panel) -> None:
    panel.press("choose-chats")
    for name in ("Ropes", "Lights"):
        panel.page.click(in_row(name, "choose-chat"))
    panel.page.until("document.querySelector('#chosen-count').textContent === '2 chosen'", what="the count")
    panel.press("chosen-delete")
    panel.press("confirm-delete")
    assert wait_names(panel, 1) == ["日本"]
    panel.page.until(f"({NOTE}).includes('2 chats were deleted.')", what="the word of it")


def test_several_are_pinned_at_once(panel: Panel) -> None:
    panel.press("choose-chats")
    for name in ("Ropes", "Lights"):
        panel.page.click(in_row(name, "choose-chat"))
    panel.press("chosen-pin")
    panel.page.until(f"({GROUPS}).join() === 'Pinned,Today'", what="the pinned chats")
    assert sum(chat["pinned"] for chat in panel.request("sessions.list")["sessions"]) == 2


def test_a_deletion_is_undone_where_it_is_told(panel: Panel) -> None:
    choose_in_menu(panel, "Ropes", "pin-chat")
    panel.page.until(f"({GROUPS}).join() === 'Pinned,Today'", what="the pinned chat")
    panel.press("choose-chats")
    for name in ("Ropes", "Lights"):
        panel.page.click(in_row(name, "choose-chat"))
    panel.press("chosen-delete")
    panel.press("confirm-delete")
    wait_names(panel, 1)
    panel.press("undo-delete")
    assert wait_names(panel, 3)[0] == "Ropes", "pinned as it was"
    panel.page.until(f"{NOTE} === '2 chats are back.'", what="the word that they are back")
    assert panel.request("archive.list")["total"] == 0


def test_one_chat_is_exported_from_its_row(stage: Stage, panel: Panel) -> None:
    choose_in_menu(panel, "Lights", "export-chat")
    panel.page.click("#chats-list [data-action=confirm]")
    said = panel.page.until(f"{NOTE}.startsWith('Written to') && {NOTE}", what="where it lies")
    folder = Path(said.removeprefix("Written to ").split("/index.md (")[0])
    assert folder.parent == stage.person.home / "exports"
    assert [file.name for file in folder.iterdir() if file.name != "index.md"] == ["Lights.md"]


def test_a_deleted_chat_comes_back_from_the_archive(panel: Panel) -> None:
    panel.page.click(in_row("Ropes", "remove-chat"))
    panel.press("confirm-delete")
    wait_names(panel, 2)
    panel.press("archive")
    panel.page.until(f"({ARCHIVED}).includes('Ropes')", what="it in the archive")
    panel.press("restore-archive")
    panel.page.until(f"({NOTE}).includes('among the chats again')", what="the word of it")
    panel.press("back-to-chats")
    assert "Ropes" in wait_names(panel, 3)


def test_what_is_archived_is_found_by_search_too(panel: Panel) -> None:
    panel.page.click(in_row("Ropes", "remove-chat"))
    panel.press("confirm-delete")
    wait_names(panel, 2)
    search(panel, "bowline")
    panel.page.until("document.querySelector('#chats-archived').textContent.includes('1 match')", what="the match")
    panel.press("show-archived")
    panel.page.until(f"({ARCHIVED}).join() === 'Ropes'", what="it in the archive")


def test_for_good_means_for_good(panel: Panel) -> None:
    choose_in_menu(panel, "Ropes", "erase-chat")
    panel.press("confirm-delete")
    wait_names(panel, 2)
    panel.page.until(f"({NOTE}).startsWith('Deleted for good.')", what="the word of it")
    assert panel.request("archive.list")["archives"] == []


def test_what_limits_have_taken_is_told_and_shown(panel: Panel) -> None:
    panel.request("settings.set", settings={"limits.chats": 1})
    panel.press("close-chats")
    panel.press("chats")
    wait_names(panel, 1)
    line = "document.querySelector('#chats-archived').textContent"
    panel.page.until(f"{line}.includes('2 older chats were archived.')", what="the line")
    panel.press("show-archived")
    panel.page.until(f"({ARCHIVED}).length === 2", what="the two")
    why = panel.page.evaluate("document.querySelector('[data-archive-id] .about').textContent")
    assert why.startswith("Made room")


def test_escape_ends_a_question_and_then_the_drawer(panel: Panel) -> None:
    panel.page.click(in_row("Ropes", "rename-chat"))
    panel.page.press(ESCAPE)
    assert panel.page.evaluate("document.querySelector('#chats').open")
    panel.page.press(ESCAPE)
    panel.page.until("!document.querySelector('#chats').open", what="the closed drawer")
    panel.page.until("document.activeElement.dataset.action === 'chats'", what="the focus on the button")


def test_an_open_drawer_follows_what_another_window_does(stage: Stage, panel: Panel) -> None:
    panel.page.evaluate(f"document.querySelector('{in_row('Ropes', 'rename-chat')}').focus()")
    chat = next(chat for chat in panel.request("sessions.list")["sessions"] if chat["name"] == "Lights")
    panel.request("sessions.rename", id=chat["id"], name="Lamps")
    panel.page.until(f"({NAMES}).includes('Lamps')", what="the new name")
    assert panel.page.evaluate(f"document.activeElement.matches('{in_row('Ropes', 'rename-chat')}')"), "the focus stays"


def test_an_earlier_state_of_a_chat_is_gone_back_to_and_deleted(stage: Stage, panel: Panel) -> None:
    panel.page.press(ESCAPE)
    talk = [message(number, ("user", "assistant")[number % 2], f"{number} " + "word " * 40) for number in range(8)]
    panel.request("storage.set", items={"history": talk})
    chat = panel.request("sessions.save", name="Long")
    panel.request("sessions.compact", id=chat["id"], summary="Words, all of them.")
    panel.press("chats")
    panel.page.until(f"({NAMES}).includes('Long')", what="the chat in the list")
    choose_in_menu(panel, "Long", "list-checkpoints")
    panel.page.until("document.querySelectorAll('[data-checkpoint]').length === 1", what="the state before")
    assert "8 messages" in panel.page.evaluate("document.querySelector('[data-checkpoint]').textContent")
    panel.page.click("[data-action=restore-checkpoint]")
    panel.page.until("!document.querySelector('#chats').open", what="the chat")
    panel.page.until("document.querySelectorAll('#transcript article').length === 8", what="the whole of it")
    panel.press("chats")
    panel.page.until(f"({NAMES}).includes('Long')", what="the chat in the list")
    choose_in_menu(panel, "Long", "list-checkpoints")
    panel.page.until("document.querySelectorAll('[data-checkpoint]').length === 2", what="both states")
    panel.page.click("[data-checkpoint]:first-child [data-action=delete-checkpoint]")
    panel.page.until("document.querySelectorAll('[data-checkpoint]').length === 1", what="one state")
    assert len(panel.request("sessions.checkpoints", id=chat["id"])["checkpoints"]) == 1
    panel.page.press(ESCAPE)
    assert panel.page.evaluate("document.querySelector('#chats').open"), "Escape closes the list, not the drawer"


def test_the_older_part_of_a_chat_is_summarised_from_the_drawer(stage: Stage, panel: Panel) -> None:
    panel.page.press(ESCAPE)
    talk = [message(number, ("user", "assistant")[number % 2], f"{number} " + "word " * 40) for number in range(8)]
    panel.request("storage.set", items={"history": talk})
    chat = panel.request("sessions.save", name="Long")
    panel.press("chats")
    panel.page.until(f"({NAMES}).includes('Long')", what="the chat in the list")
    choose_in_menu(panel, "Long", "list-checkpoints")
    panel.page.click("[data-action=compact-chat]")
    panel.page.until("document.querySelectorAll('[data-checkpoint]').length === 1", what="the state before")
    first = panel.request("sessions.get", id=chat["id"])["messages"][0]
    assert "The light blinks twice." in first["content"]


def test_a_chat_without_an_earlier_state_says_so(panel: Panel) -> None:
    choose_in_menu(panel, "Ropes", "list-checkpoints")
    panel.page.until(
        "document.querySelector('.checkpoints')?.textContent.includes('no earlier state')", what="the word"
    )
