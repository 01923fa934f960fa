"""Every screen, looked at by axe in light and in dark: nothing that it calls a violation."""

import json
from collections.abc import Callable

import pytest
from tests.extension.stage import Stage, stage
from tests.extension.test_conversation_view import message

from tasks.page import ESCAPE, Page
from tasks.panel import Panel
from tasks.places import NODE_MODULES, ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["stage"]  # fixture

AXE = (NODE_MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
# Contrast is judged by what axe can see; what scrolls must be reachable by keys.
RUN = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations.map(({id, nodes}) =>
  [id, ...nodes.slice(0, 3).map(({html, failureSummary}) => html.slice(0, 160) + " | " + failureSummary.slice(0, 300))]))"""
RICH = """# Title

Text with `code`, $a^2$, [a link](https://a.example/) and **weight**.

```python
def f(x):  # a comment
    return "text" + str(1)
```

| A | B |
|---|---|
| 1 | 2 |

> quoted

- [x] done
"""


def violations(page: Page, theme: str) -> list[list[str]]:
    """What axe finds on a page as it stands, in a theme."""
    page.evaluate(f"document.documentElement.dataset.theme = {json.dumps(theme)}")
    page.evaluate(f"'axe' in window || void (0, eval)({json.dumps(AXE)})")
    found: list[list[str]] = page.evaluate(RUN)
    return found


def an_empty_chat(stage: Stage) -> Page:
    stage.clear()
    return stage.panel.page


def a_conversation(stage: Stage) -> Page:
    stage.clear()
    stage.seed([message(1, "user", "What is it?"), message(2, "assistant", RICH, provider="test", interrupted=True)])
    stage.panel.page.until("document.querySelector('.hljs-keyword')", what="colours")
    return stage.panel.page


def a_message_that_is_edited(stage: Stage) -> Page:
    page = a_conversation(stage)
    stage.panel.press("edit")
    return page


def a_message_that_is_to_be_deleted(stage: Stage) -> Page:
    page = a_conversation(stage)
    stage.panel.press("delete-message")
    return page


def an_error(stage: Stage) -> Page:
    stage.clear()
    stage.model.status = 401
    stage.panel.send("Who?")
    stage.panel.wait_alert()
    return stage.panel.page


def the_list_of_chats(stage: Stage) -> Page:
    stage.clear()
    stage.panel.send("A chat")
    stage.panel.wait_answer()
    stage.panel.press("chats")
    stage.panel.page.until("document.querySelector('[data-session-id]')", what="a chat")
    return stage.panel.page


def chats_that_are_chosen(stage: Stage) -> Page:
    page = the_list_of_chats(stage)
    stage.panel.request("folders.create", name="A folder")
    stage.panel.press("choose-chats")
    stage.panel.press("choose-chat")
    return page


def the_earlier_states_of_a_chat(stage: Stage) -> Page:
    stage.clear()
    talk = [{"id": f"m{n}", "role": ("user", "assistant")[n % 2], "content": f"{n} " + "word " * 40} for n in range(8)]
    stage.panel.request("storage.set", items={"history": talk})
    chat = stage.panel.request("sessions.save", name="Long")
    stage.panel.request("sessions.compact", id=chat["id"], summary="Words, all of them.")
    stage.panel.press("chats")
    page = stage.panel.page
    page.until("document.querySelector('[data-session-id]')", what="a chat")
    page.click(f'[data-session-id="{chat["id"]}"] [data-action="more-chat"]')
    page.click('.menu:popover-open [data-action="list-checkpoints"]')
    page.until("document.querySelector('[data-checkpoint]')", what="the state before")
    return page


def the_archive(stage: Stage) -> Page:
    page = the_list_of_chats(stage)
    stage.panel.press("remove-chat")
    stage.panel.press("confirm-delete")
    page.until("document.querySelector('#chats-note').textContent.includes('deleted')", what="the deletion")
    stage.panel.press("archive")
    page.until("document.querySelector('[data-archive-id]')", what="the archive")
    return page


def the_menu_of_what_to_attach(stage: Stage) -> Page:
    stage.clear()
    stage.panel.press("attach-more")
    return stage.panel.page


def the_prompts(stage: Stage) -> Page:
    stage.clear()
    stage.panel.type("/")
    stage.panel.page.until("!document.querySelector('#prompts').hidden", what="the prompts")
    return stage.panel.page


def an_attachment_that_is_looked_at(stage: Stage) -> Page:
    stage.clear()
    page = {"url": "https://a.example/", "title": "A page", "mode": "readable", "text": "Words of the page."}
    stage.panel.request("attachments.add", page=page)
    stage.panel.press("inspect-attachment")
    stage.panel.page.until("document.querySelector('#inspect pre')", what="its text")
    return stage.panel.page


def a_picture_that_is_cropped(stage: Stage) -> Page:
    stage.clear()
    shown = """(async () => {
      const {Crop} = await import("/panel/crop.js");
      await new Crop().open((await (await import("/lib/picture-file.js")).pictureUrl(
        await (await fetch("/icons/128.png")).blob())), () => {});
    })()"""
    stage.panel.page.evaluate(shown)
    return stage.panel.page


def the_settings(stage: Stage) -> Page:
    page = stage.panel.page
    page.press(ESCAPE)
    page.navigate(ORIGIN + "options/options.html")
    page.until("!document.querySelector('#settings').hidden", what="the settings")
    page.click("[data-provider=custom]")
    page.until("document.querySelector('#apiKey')", what="a server's form")
    return page


SCREENS: list[Callable[[Stage], Page]] = [
    an_empty_chat,
    a_conversation,
    a_message_that_is_edited,
    a_message_that_is_to_be_deleted,
    an_error,
    the_list_of_chats,
    chats_that_are_chosen,
    the_earlier_states_of_a_chat,
    the_archive,
    the_menu_of_what_to_attach,
    the_prompts,
    an_attachment_that_is_looked_at,
    a_picture_that_is_cropped,
    the_settings,
]


@pytest.mark.parametrize("screen", SCREENS, ids=[screen.__name__.replace("_", " ") for screen in SCREENS])
def test_axe_finds_nothing(stage: Stage, screen: Callable[[Stage], Page]) -> None:
    page = screen(stage)
    assert violations(page, "light") == []
    assert violations(page, "dark") == []


def test_axe_finds_nothing_where_the_host_is_missing(stage: Stage) -> None:
    browser = stage.person.start("without host", with_manifest=False)
    panel = Panel(browser.open(ORIGIN + "panel/panel.html"))
    panel.wait_state("no-host")
    assert "build.py" in panel.page.evaluate("document.querySelector('#trouble .command .hint').textContent")
    assert violations(panel.page, "light") == []
    assert violations(panel.page, "dark") == []
