"""The settings beyond the model servers: the conversation, limits with their preview, the data out and in."""

import json
from base64 import b64encode
from pathlib import Path

import pytest
from tests.extension.stage import EMPTY, Stage, stage
from tests.extension.test_conversation_view import message

from tasks.page import Page
from tasks.places import ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["stage"]  # fixture

RESULT = "document.querySelector('#data-result').innerText"


@pytest.fixture(scope="module")
def settings(stage: Stage) -> Page:
    """The settings page beside the panel."""
    page = stage.browser.open(ORIGIN + "options/options.html")
    page.until("document.querySelector('#data-facts dd')", what="the settings")
    return page


def fill(page: Page, selector: str, value: str) -> None:
    """Replace what stands in a field and leave it; what was said of a field before is over."""
    page.evaluate(
        f"""(field => {{
          document.querySelector('#status').textContent = '';
          field.value = {json.dumps(value)};
          field.dispatchEvent(new Event('change', {{bubbles: true}}));
        }})(document.querySelector({json.dumps(selector)}))"""
    )


def saved(page: Page) -> None:
    page.until("document.querySelector('#status').textContent === 'Saved.'", what="the word that it is saved")


def test_the_system_prompt_goes_before_the_next_question(stage: Stage, settings: Page) -> None:
    stage.clear()
    fill(settings, "#systemPrompt", "Answer like a lighthouse keeper.")
    saved(settings)
    stage.panel.send("Who are you?")
    stage.panel.wait_answer()
    first = stage.model.requests[-1]["messages"][0]
    assert first["role"] == "system"
    assert "Answer like a lighthouse keeper." in first["content"]


def test_how_much_goes_along_is_kept_as_the_area_has_it(stage: Stage, settings: Page) -> None:
    fill(settings, "#windowMode", "messages")
    settings.until("!document.querySelector('#window-messages-field').hidden", what="the field for the number")
    fill(settings, "#window-messages", "4")
    settings.until("document.querySelector('#window-messages').value === '4'", what="the number")
    saved(settings)
    stored = stage.panel.request("storage.get", keys="requestWindow")["items"]["requestWindow"]
    assert stored == {"mode": "messages", "messages": 4, "chars": 8000}
    stage.panel.request("storage.remove", keys=["requestWindow"])


def test_new_chats_are_named_by_the_model_where_a_person_wants_that(stage: Stage, settings: Page) -> None:
    stage.clear()
    box = "document.querySelector('[name=\"title.automatic\"]')"
    assert settings.evaluate(f"{box}.checked") is False
    settings.evaluate(f"{box}.click()")
    saved(settings)
    stage.model.words = ["Keeping a light"]
    stage.panel.send("How is a light kept?")
    stage.panel.wait_answer()
    stage.panel.press("chats")
    name = "document.querySelector('#chats-list [data-session-id] .title')?.textContent"
    stage.panel.page.until(f"{name} === 'Keeping a light'", what="the title in the open drawer")
    stage.panel.request("settings.set", settings={"title.automatic": None})


def test_a_prompt_is_added_used_and_removed(stage: Stage, settings: Page) -> None:
    stage.clear()
    settings.click("[data-action=add-prompt]")
    fill(settings, "#prompt-list li:last-child input", "rope")
    fill(settings, "#prompt-list li:last-child textarea", "Where is the rope?")
    saved(settings)
    stage.panel.page.evaluate(EMPTY)
    stage.panel.type("/rope")
    stage.panel.page.until("document.querySelector('#prompts')?.textContent.includes('the rope')", what="the prompt")
    settings.click("#prompt-list li:last-child [data-action=remove-prompt]")
    settings.until("!document.querySelector('#prompt-list').textContent.includes('the rope')", what="its going")
    stage.panel.page.evaluate(EMPTY)


def test_a_lower_limit_shows_what_it_would_archive_and_waits_for_a_yes(stage: Stage, settings: Page) -> None:
    for number, name in enumerate(("Ropes", "Lights", "Tides")):
        stage.panel.request("storage.set", items={"history": [message(number, "user", name)]})
        stage.panel.request("sessions.save", name=name)
    before = stage.panel.request("sessions.list")["total"]
    fill(settings, '[name="limits.chats"]', "1")
    settings.click("[data-action=save-limits]")
    settings.until("document.querySelector('#limits-preview li')", what="the preview")
    assert stage.panel.request("sessions.list")["total"] == before, "nothing is taken yet"
    settings.click("[data-action=confirm-limits]")
    saved(settings)
    assert stage.panel.request("settings.get")["settings"]["limits.chats"] == 1
    stage.panel.request("settings.set", settings={"limits.chats": None})


def choose_file(page: Page, name: str, content: bytes) -> None:
    """As if a person had picked a file to import."""
    page.evaluate(
        f"""(input => {{
          const data = new DataTransfer();
          const bytes = Uint8Array.from(atob({json.dumps(b64encode(content).decode())}), (one) => one.charCodeAt(0));
          data.items.add(new File([bytes], {json.dumps(name)}));
          input.files = data.files;
          input.dispatchEvent(new Event('change'));
        }})(document.querySelector('#import-file'))"""
    )


def claude_export(chats: int) -> bytes:
    def said(number: int) -> list[dict[str, object]]:
        return [{"uuid": f"m{number}", "sender": "human", "content": [{"type": "text", "text": f"Tale {number}"}]}]

    return json.dumps(
        [{"uuid": f"c{number}", "name": f"Tale {number}", "chat_messages": said(number)} for number in range(chats)]
    ).encode()


def test_the_store_is_named_and_a_backup_is_made_and_listed(stage: Stage, settings: Page) -> None:
    path = Path(settings.evaluate("document.querySelector('#data-facts dd').textContent"))
    assert path.is_file()
    assert settings.evaluate("document.querySelectorAll('#backup-list li[title]').length") == 0
    settings.click("[data-action=back-up]")
    settings.until(f"{RESULT}.includes('made and checked')", what="the word that it is made")
    settings.until("document.querySelectorAll('#backup-list li[title]').length === 1", what="the backup")
    name = settings.evaluate("document.querySelector('#backup-list li').title")
    assert (path.parent / "backups" / name).is_file()


def test_a_file_that_is_no_export_is_told_and_nothing_is_offered(settings: Page) -> None:
    choose_file(settings, "chat.html", b"<!doctype html><title>my chats</title>")
    settings.until(f"{RESULT}.includes('chat.html: It is a web page')", what="the reason")
    assert not settings.evaluate(f"{RESULT}.startsWith(':')")
    assert not settings.evaluate("document.querySelector('[data-action=confirm-import]')")


def test_an_import_shows_how_far_it_is_and_stops_when_it_is_told_to(stage: Stage, settings: Page) -> None:
    settings.evaluate(
        """(window.bars = [], new MutationObserver(() => {
          const bar = document.querySelector('#data-result progress');
          if (bar?.hasAttribute('value')) window.bars.push(bar.value / bar.max);
        }).observe(document.querySelector('#data-result'), {subtree: true, childList: true, attributes: true}))"""
    )
    choose_file(settings, "claude.json", claude_export(400))
    settings.until("document.querySelector('[data-action=confirm-import]')", what="what it would bring")
    assert settings.evaluate("Math.max(...window.bars)") == 1
    settings.evaluate(
        """(new MutationObserver(() => document.querySelector('#data-result progress[value]') &&
          document.querySelector('[data-action=stop-work]')?.click())
          .observe(document.querySelector('#data-result'), {subtree: true, childList: true, attributes: true}))"""
    )
    settings.click("[data-action=confirm-import]")
    settings.until(f"{RESULT}.includes('was stopped')", what="the end of the import")
    assert stage.panel.request("sessions.list")["total"] < 400
    settings.navigate(ORIGIN + "options/options.html")
    settings.until("document.querySelector('#data-facts dd')", what="the settings")


def test_an_export_shows_how_far_it_is_and_stops_when_it_is_told_to(stage: Stage, settings: Page) -> None:
    settings.evaluate(
        """(window.bars = [], new MutationObserver(() => {
          const bar = document.querySelector('#data-result progress');
          if (bar?.hasAttribute('value')) window.bars.push([bar.value, bar.max]);
        }).observe(document.querySelector('#data-result'), {subtree: true, childList: true, attributes: true}))"""
    )
    stage.panel.request("storage.set", items={"history": [message(1, "user", "A tale of ropes")]})
    settings.click("[data-action=export]")
    settings.until(f"{RESULT}.includes('Written to')", what="the file's name")
    bars = settings.evaluate("window.bars")
    assert bars[-1][0] == bars[-1][1] >= 1
    settings.evaluate(
        """(new MutationObserver(() => document.querySelector('[data-action=stop-work]')?.click())
          .observe(document.querySelector('#data-result'), {subtree: true, childList: true}))"""
    )
    settings.click("[data-action=export]")
    settings.until(f"{RESULT} === 'The export was stopped.'", what="the word that it was stopped")
    settings.navigate(ORIGIN + "options/options.html")
    settings.until("document.querySelector('#data-facts dd')", what="the settings")


def test_everything_is_exported_and_comes_back_through_import(stage: Stage, settings: Page) -> None:
    stage.clear()
    stage.panel.request("storage.set", items={"history": [message(1, "user", "A tale of ropes")]})
    stage.panel.request("sessions.save", name="Ropes")
    settings.click("[data-action=export]")
    said = settings.until(f"{RESULT}.includes('Written to') && {RESULT}", what="the file's name")
    file = Path(said.removeprefix("Written to ").split(" (")[0])
    content = file.read_bytes()
    chats = [chat["id"] for chat in stage.panel.request("sessions.list", limit=200)["sessions"]]
    stage.panel.request("sessions.delete", ids=chats, forGood=True)
    choose_file(settings, "export.json", content)
    settings.until("document.querySelector('[data-action=confirm-import]')", what="what it would bring")
    assert stage.panel.request("sessions.list")["total"] == 0, "nothing is written yet"
    settings.click("[data-action=confirm-import]")
    settings.until(f"{RESULT}.includes('imported')", what="the end of the import")
    assert "Ropes" in [chat["name"] for chat in stage.panel.request("sessions.list")["sessions"]]
