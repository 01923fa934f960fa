"""What goes with a question: each kind is attached, looked at and taken back as a person does it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.extension.stage import Stage, beside
from tests.support import pdf

from tasks.page import ENTER, ESCAPE
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

CHIPS = "[...document.querySelectorAll('#chips .title')].map((title) => title.textContent)"
STATUS = "document.querySelector('#status').textContent"
DRAFT = "document.querySelector('#composer-input').value"
# A file as a paste or a drop brings it; `how` is the event.
BRING = """((how, files, text) => {
  const data = new DataTransfer();
  for (const [name, type, content] of files) data.items.add(new File([content], name, {type}));
  if (text) data.setData("text/plain", text);
  const init = {bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data};
  const event = how === "paste" ? new ClipboardEvent("paste", init) : new DragEvent("drop", init);
  document.querySelector("#composer-input").dispatchEvent(event);
  return event.defaultPrevented;
})"""
PICTURE = """(async () => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 300, height: 200});
  canvas.getContext("2d").fillRect(0, 0, 100, 100);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, %r));
  return (%s)(%r, [["chart.png", %r, blob]], "");
})()"""


@pytest.fixture
def panel(beside: Stage) -> Iterator[Panel]:
    """The panel beside the page, on an empty chat."""
    assert beside.page is not None
    beside.page.evaluate("getSelection().removeAllRanges()")
    beside.clear()
    yield beside.panel
    beside.panel.page.evaluate("document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close())")


def chips(panel: Panel, count: int) -> list[str]:
    """Wait for so many chips; their titles."""
    found: list[str] = panel.page.until(f"({CHIPS}).length === {count} && {CHIPS}", what=f"{count} chips")
    return found


def choose_kind(panel: Panel, action: str) -> None:
    panel.press("attach-more")
    panel.press(action)


def asked(stage: Stage) -> list[Any]:
    """The parts of what the model was asked last."""
    content = stage.model.requests[-1]["messages"][-1]["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def test_the_selection_is_attached_alone(beside: Stage, panel: Panel) -> None:
    assert beside.page is not None
    beside.page.evaluate("getSelection().selectAllChildren(document.querySelector('#high'))")
    choose_kind(panel, "attach-selection")
    assert chips(panel, 1) == ["A tide table"]
    panel.press("inspect-attachment")
    text = panel.page.until("document.querySelector('#inspect pre')?.textContent", what="what is attached")
    assert "High water is at noon." in text
    assert "fishermen" not in text


def test_without_a_selection_that_is_said(panel: Panel) -> None:
    choose_kind(panel, "attach-selection")
    assert "Nothing is selected" in panel.wait_alert()


def test_a_part_of_what_the_page_shows_goes_along_as_a_picture(beside: Stage, panel: Panel) -> None:
    choose_kind(panel, "attach-area")
    panel.page.until("document.querySelector('#crop').open", what="the picture of the page")
    for _ in range(10):
        panel.page.press({"key": "ArrowLeft", "code": "ArrowLeft", "windowsVirtualKeyCode": 37}, modifiers=8)
    full = panel.page.evaluate("document.querySelector('#crop-picture').naturalWidth")
    panel.press("crop-take")
    chips(panel, 1)
    width = panel.page.until("document.querySelector('#chips img').naturalWidth", what="the part")
    assert width == pytest.approx(full / 2, abs=2)
    panel.send("What is this?")
    panel.wait_answer()
    assert [part["type"] for part in asked(beside)].count("image_url") == 1
    assert chips_gone(panel)


def chips_gone(panel: Panel) -> bool:
    return bool(panel.page.until("document.querySelector('#chips').hidden", what="no chips"))


@pytest.mark.parametrize("how", ["paste", "drop"])
@pytest.mark.parametrize("kind", ["image/png", "image/webp"])
def test_a_picture_that_is_brought_goes_along(beside: Stage, panel: Panel, how: str, kind: str) -> None:
    assert panel.page.evaluate(PICTURE % (kind, BRING, how, kind)), "the browser does nothing of its own with it"
    assert chips(panel, 1) == ["chart.png"]
    panel.send("What is this?")
    panel.wait_answer()
    assert [part["type"] for part in asked(beside)].count("image_url") == 1


def test_a_picture_of_a_kind_that_models_do_not_take_is_drawn_anew(panel: Panel) -> None:
    url = """(async () => (await import("/lib/picture-file.js")).pictureUrl(
      await (await fetch("/icons/16.png")).blob().then((blob) => new Blob([blob], {type: "image/bmp"}))))()"""
    assert panel.page.evaluate(url).startswith("data:image/png;base64,")


def test_what_is_no_picture_is_refused_in_words(panel: Panel) -> None:
    panel.page.evaluate(f"{BRING}('drop', [['x.png', 'image/png', 'no picture']], '')")
    assert "x.png is not a picture" in panel.wait_alert()


def test_a_text_file_is_attached(panel: Panel) -> None:
    panel.page.evaluate(f"{BRING}('drop', [['notes.md', 'text/markdown', 'Buy rope.']], '')")
    assert chips(panel, 1) == ["notes.md"]
    panel.press("inspect-attachment")
    assert "Buy rope." in panel.page.until("document.querySelector('#inspect pre')?.textContent", what="the text")


def test_a_file_that_is_no_text_is_refused_in_words(panel: Panel) -> None:
    panel.page.evaluate(f"{BRING}('drop', [['a.bin', '', new Uint8Array([0, 255, 0])]], '')")
    assert "a.bin is neither" in panel.wait_alert()


def drop(panel: Panel, *paths: Path) -> None:
    """Drag files and folders of this computer onto the composer and let them go there."""
    box = panel.page.evaluate(
        "(({x, y}) => ({x: x + 20, y: y + 10}))(document.querySelector('#composer').getBoundingClientRect())"
    )
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        panel.page.call("Input.dispatchDragEvent", {"type": kind, "data": data, **box})


def test_files_of_this_computer_are_dropped_and_what_is_none_is_told(panel: Panel, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.md").write_text("Buy rope.", encoding="utf-8")
    (tmp_path / "tides.pdf").write_bytes(pdf.with_text("High water is at noon.", title="A tide table"))
    drop(panel, tmp_path / "folder", tmp_path / "notes.md", tmp_path / "tides.pdf")
    assert chips(panel, 2) == ["notes.md", "A tide table"]
    assert "folder is neither a picture nor text" in panel.wait_alert()


def test_a_part_of_the_picture_is_taken_by_dragging(beside: Stage, panel: Panel) -> None:
    choose_kind(panel, "attach-area")
    panel.page.until("document.querySelector('#crop').open", what="the picture of the page")
    stage = panel.page.evaluate(
        "(({x, y, width, height}) => [x, y, width, height])(document.querySelector('#crop-stage').getBoundingClientRect())"
    )
    x, y, width, height = stage
    mouse = {"button": "left", "buttons": 1, "clickCount": 1}
    places = [("mousePressed", 0.25), ("mouseMoved", 0.5), ("mouseMoved", 0.75), ("mouseReleased", 0.75)]
    for kind, part in places:
        at = {"x": x + width * part, "y": y + height * part}
        panel.page.call("Input.dispatchMouseEvent", {"type": kind, **mouse, **at})
    full = panel.page.evaluate("document.querySelector('#crop-picture').naturalWidth")
    panel.press("crop-take")
    chips(panel, 1)
    taken = panel.page.until("document.querySelector('#chips img').naturalWidth", what="the part")
    assert taken == pytest.approx(full / 2, rel=0.05)


def test_a_pdf_gives_its_text(beside: Stage, panel: Panel) -> None:
    content = list(pdf.with_text("High water is at noon.", title="A tide table"))
    panel.page.evaluate(f"{BRING}('drop', [['tides.pdf', 'application/pdf', new Uint8Array({content})]], '')")
    assert chips(panel, 1) == ["A tide table"]
    panel.send("When is high water?")
    panel.wait_answer()
    assert "High water is at noon." in str(beside.model.requests[-1]["messages"])


def test_a_large_paste_becomes_an_attachment_and_a_small_one_stays_text(panel: Panel) -> None:
    assert panel.page.evaluate(f"{BRING}('paste', [], 'word '.repeat(2000))")
    assert chips(panel, 1)[0].startswith("Pasted: word word")
    assert panel.page.evaluate(f"{BRING}('paste', [], 'word ')") is False, "the browser puts it in"


def test_undo_removes_that_attachment_and_no_other(panel: Panel) -> None:
    for name in ("one", "two", "three"):
        panel.page.evaluate(f"{BRING}('drop', [['{name}.txt', 'text/plain', 'Text.']], '')")
        panel.page.until(f"({CHIPS}).at(-1) === '{name}.txt'", what="the chip")
    panel.page.click("#chips li:nth-child(2) [data-action=remove-attachment]")
    assert chips(panel, 2) == ["one.txt", "three.txt"]
    stored = panel.request("history.get", pixels="none")["messages"]
    assert [message["content"].split("Title: ")[1].split("\n")[0] for message in stored] == ["one.txt", "three.txt"]


def test_undo_removes_that_picture_and_no_other(panel: Panel) -> None:
    for count in (1, 2):
        panel.page.evaluate(PICTURE % ("image/png", BRING, "drop", "image/png"))
        chips(panel, count)
    second = "document.querySelectorAll('[data-picture-id]')[%d]?.dataset.pictureId"
    kept = panel.page.evaluate(second % 1)
    panel.press("remove-attachment")
    chips(panel, 1)
    assert panel.page.evaluate(second % 0) == kept


def test_a_page_that_has_changed_since_it_was_attached_is_told(beside: Stage, panel: Panel) -> None:
    assert beside.page is not None
    panel.attach_page()
    panel.press("attach-page")
    panel.page.until(f"{STATUS}.includes('the same')", what="the word that nothing has changed")
    beside.page.evaluate("document.querySelector('#high').textContent = 'High water is at one.'")
    panel.press("attach-page")
    panel.page.until(f"{STATUS}.includes('has changed')", what="the word of the change")


def test_a_videos_captions_come_with_their_times_and_a_time_leads_back(beside: Stage, panel: Panel) -> None:
    assert beside.page is not None
    add = "<video id=v><track kind=captions src=/captions.vtt default></video>"
    beside.page.evaluate(f"document.body.insertAdjacentHTML('beforeend', '{add}')")
    try:
        panel.attach_page()
        panel.press("inspect-attachment")
        text = panel.page.until("document.querySelector('#inspect pre')?.textContent", what="the captions")
        assert "[00:01] Hello there\n[01:05] Goodbye" in text
        panel.page.press(ESCAPE)
        beside.model.words = ["It ends ", "at [01:05]", "."]
        panel.send("When does it end?")
        panel.wait_answer()
        panel.press("seek")
        beside.page.until("document.querySelector('#v').currentTime === 65", what="the video's move")
    finally:
        beside.page.evaluate("document.querySelector('#v').remove()")


def test_a_question_that_is_sent_at_once_waits_for_what_is_being_attached(beside: Stage, panel: Panel) -> None:
    content = list(pdf.with_text(*["High water is at noon."] * 40))
    panel.page.evaluate(
        f"""{BRING}('drop', [['tides.pdf', 'application/pdf', new Uint8Array({content})]], '');
        {BRING}('paste', [], 'low water '.repeat(1000));
        document.querySelector('[data-action=attach-page]').click();
        document.querySelector('#composer-input').value = 'When is it?';
        document.querySelector('#composer').requestSubmit();"""
    )
    panel.wait_shown("assistant", beside.model.answer)
    sent = str(beside.model.requests[-1]["messages"])
    for part in ("[Page 40]", "low water low water", "as the fishermen of the bay", "When is it?"):
        assert part in sent


def test_a_question_stays_where_what_it_goes_with_cannot_be_attached(panel: Panel) -> None:
    panel.page.evaluate(
        f"""{BRING}('drop', [['x.png', 'image/png', 'none'], ['a.txt', 'text/plain', 'Text.'], ['e.txt', '', '']], '');
        document.querySelector('#composer-input').value = 'And this?';
        document.querySelector('#composer').requestSubmit();"""
    )
    assert chips(panel, 1) == ["a.txt"]
    said = panel.wait_alert()
    assert "x.png is not a picture" in said
    assert "e.txt is empty" in said
    assert panel.page.evaluate(DRAFT) == "And this?"
    panel.page.press(ENTER)
    panel.wait_shown("user", "And this?")


def test_a_tab_that_is_closed_while_it_is_attached_leaves_the_panel_whole(beside: Stage, panel: Panel) -> None:
    assert beside.page is not None
    panel.page.evaluate("document.querySelector('[data-action=attach-page]').click()")
    tab = beside.browser.open("about:blank")
    tab.close()
    chips(panel, 1)
    panel.type("still here")
    assert panel.page.evaluate(DRAFT) == "still here"
    panel.page.press(ENTER)
    panel.wait_answer()
