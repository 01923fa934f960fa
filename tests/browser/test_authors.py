"""The example for authors of extensions, made and let in as docs/authors.md says, beside Sidekeep itself in one browser."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.browser.conftest import Person
from tests.browser.model_server import ModelServer

from tasks.browser import Browser
from tasks.page import ENTER, Page
from tasks.places import EXTENSION, ROOT

DOCUMENT = (ROOT / "docs" / "authors.md").read_text("utf-8")
MAKING, LETTING_IN = re.findall(r"```sh\n(.*?)```", DOCUMENT, re.DOTALL)
USED = ("chrome", "host-port", "host-storage", "relay", "host-client", "page-storage")
ASK_THE_HOST = """(async () => {
  const {clock, connectWorker} = await import("/lib/chrome.js");
  const {HostClient} = await import("/lib/host-client.js");
  return new HostClient({connect: connectWorker, clock}).request(%s, %s);
})()"""


def made(folder: Path) -> Path:
    """The example's folder, made by the document's own commands."""
    for name in ("docs", "extension"):
        (folder / name).symlink_to(ROOT / name)
    subprocess.run(["sh", "-ec", MAKING], cwd=folder, check=True)
    return folder / "build" / "margin"


def load(browser: Browser, example: Path) -> str:
    """Load it as "Load unpacked" does. Returns the id that the browser gave it."""
    answer = browser.connection.call("Extensions.loadUnpacked", {"path": str(example)})
    return str(answer["id"])


def let_in(person: Person, browser: Browser, extension_id: str) -> None:
    """The document's command, for a browser that is started with a profile of its own."""
    _, *arguments = LETTING_IN.replace("ID", extension_id).split()
    person.sidekeep(*arguments, "--user-data-dir", str(browser.profile))


def wait_text(page: Page, selector: str, text: str) -> None:
    shown = f"document.querySelector({json.dumps(selector)})?.textContent.includes({json.dumps(text)})"
    page.until(shown, what=f"{text!r} in {selector}")


def type_into(page: Page, form: str, text: str) -> None:
    page.click(f"#{form} input")
    page.type(text)
    page.press(ENTER)


def ask_the_host(page: Page, method: str, params: dict[str, Any]) -> Any:
    return page.evaluate(ASK_THE_HOST % (json.dumps(method), json.dumps(params)))


def test_the_example_keeps_notes_and_asks_a_model(
    person: Person, model: ModelServer, article: str, tmp_path: Path
) -> None:
    example = made(tmp_path)
    browser = person.start(with_manifest=False)
    extension_id = load(browser, example)
    address = f"chrome-extension://{extension_id}/notes.html"
    page = browser.open(address)
    wait_text(page, "#state", "no-host")
    let_in(person, browser, extension_id)
    page.click("#retry")
    wait_text(page, "#state", "ready")
    type_into(page, "keep", "The light blinks twice")
    wait_text(page, "#notes", "The light blinks twice")
    browser.click_icon(browser.open(article), extension_id=extension_id)
    wait_text(page, "#notes", "How the Harbour Lighthouse of Vell Came to Blink Twice (http://")

    provider = {"providers": {"mine": model.provider()}, "activeProvider": "mine", "activeModel": "tiny"}
    ask_the_host(page, "storage.set", {"items": provider})
    page.call("Page.bringToFront")
    type_into(page, "ask", "How often?")
    wait_text(page, "#answer", model.answer)
    assert "The light blinks twice" in model.requests[0]["messages"][-1]["content"]
    browser.close()

    other = person.start("other", with_manifest=False)
    assert load(other, example) == extension_id
    let_in(person, other, extension_id)
    again = other.open(address)
    wait_text(again, "#notes", "The light blinks twice")
    wait_text(again, "#answer", model.answer)
    assert ask_the_host(again, "sessions.list", {})["total"] == 1


def test_the_document_names_the_modules_that_the_example_needs() -> None:
    needed: set[str] = set()
    waiting = list(USED)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            source = (EXTENSION / "lib" / f"{name}.js").read_text("utf-8")
            waiting += re.findall(r'^import .* from "\./(.*)\.js"', source, re.MULTILINE)
    listed = re.search(r"they are (\d+) modules.*?:\n(.*?)\.\nThe", DOCUMENT, re.DOTALL)
    assert listed is not None
    assert re.findall(r"`([\w-]+)`", listed[2]) == sorted(needed)
    assert int(listed[1]) == len(needed)
