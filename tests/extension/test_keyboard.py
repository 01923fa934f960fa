"""By keyboard alone: the main job from the open panel on, and what the composer does with keys."""

import pytest
from tests.extension.stage import PANEL, Stage, beside

from tasks.cdp import Params
from tasks.page import ENTER, ESCAPE
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

TAB: Params = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
UP: Params = {"key": "ArrowUp", "code": "ArrowUp", "windowsVirtualKeyCode": 38}
DOWN: Params = {"key": "ArrowDown", "code": "ArrowDown", "windowsVirtualKeyCode": 40}
SHIFT = 8
FOCUS = "document.activeElement?.dataset.action ?? document.activeElement?.id ?? ''"
NAMES = "[...document.querySelectorAll('#prompts:not([hidden]) .name')].map((name) => name.textContent)"
DRAFT = "document.querySelector('#composer-input').value"


@pytest.fixture
def panel(beside: Stage) -> Panel:
    """The panel beside a page, on an empty chat, the focus where it is when it opens."""
    beside.clear()
    beside.panel.page.until("document.activeElement?.id === 'composer-input'", what="the focus in the composer")
    return beside.panel


def tab_to(panel: Panel, name: str, *, back: bool = False) -> None:
    """Press Tab until a button has the focus."""
    for _ in range(30):
        panel.page.press(TAB, modifiers=SHIFT if back else 0)
        if panel.page.evaluate(FOCUS) == name:
            return
    pytest.fail(f"Tab does not lead to {name}")


def focus_is(panel: Panel, name: str) -> None:
    panel.page.until(f"({FOCUS}) === {name!r}", what=f"the focus on {name}")


def test_the_whole_main_job_goes_without_a_mouse(panel: Panel) -> None:
    tab_to(panel, "attach-page")
    panel.page.press(ENTER)
    panel.page.until("document.querySelector('[data-attachment-id]')", what="the chip")
    focus_is(panel, "composer-input")
    panel.page.type("When is high water?")
    panel.page.press(ENTER)
    panel.wait_shown("assistant", "The light blinks twice.")
    focus_is(panel, "composer-input")
    tab_to(panel, "again", back=True)
    panel.page.press(ENTER)
    panel.page.until("!document.querySelector('article[aria-busy=true]')", what="the answer")
    tab_to(panel, "chats", back=True)
    panel.page.press(ENTER)
    panel.page.until("document.querySelector('#chats').open", what="the chats")
    panel.page.press(ESCAPE)
    focus_is(panel, "chats")
    tab_to(panel, "new-chat")
    panel.page.press(ENTER)
    panel.page.until("document.querySelectorAll('#transcript > *').length === 0", what="an empty chat")
    focus_is(panel, "composer-input")


def test_the_menu_opens_moves_and_closes_by_keys(panel: Panel) -> None:
    tab_to(panel, "attach-more")
    panel.page.press(ENTER)
    focus_is(panel, "attach-selection")
    panel.page.press(DOWN)
    focus_is(panel, "attach-area")
    panel.page.press(UP)
    panel.page.press(UP)
    focus_is(panel, "attach-file")
    panel.page.press(ESCAPE)
    focus_is(panel, "attach-more")


def test_the_arrows_bring_back_what_was_asked_and_leave_what_is_typed(panel: Panel) -> None:
    for question in ("First?", "Second?"):
        panel.send(question)
        panel.wait_answer()
    for key, shown in [(UP, "Second?"), (UP, "First?"), (DOWN, "Second?"), (DOWN, "")]:
        panel.page.press(key)
        assert panel.page.evaluate(DRAFT) == shown
    panel.type("half a thought")
    panel.page.press(UP)
    assert panel.page.evaluate(DRAFT) == "half a thought"


def own_prompts(panel: Panel, *names: str) -> None:
    panel.request("storage.set", items={"prompts": [{"name": name, "text": f"Where is the {name}?"} for name in names]})


def test_a_slash_lists_prompts_letters_narrow_them_and_enter_puts_one_in(panel: Panel) -> None:
    panel.type("/")
    assert len(panel.page.until(f"({NAMES}).length && {NAMES}", what="the prompts")) == 5
    panel.page.type("key")
    panel.page.until(f"({NAMES}).join() === 'key points'", what="one prompt")
    panel.page.press(ENTER)
    assert panel.page.evaluate(DRAFT) == "List the key points of this page, the most important first."
    assert panel.page.evaluate("document.querySelectorAll('article').length") == 0, "nothing is sent yet"


def test_a_slash_within_a_question_is_a_slash(panel: Panel) -> None:
    panel.type("and/or")
    assert panel.page.evaluate("document.querySelector('#prompts').hidden")


def test_escape_closes_the_prompts_and_leaves_the_slash(panel: Panel) -> None:
    panel.type("/")
    panel.page.until("!document.querySelector('#prompts').hidden", what="the prompts")
    panel.page.press(ESCAPE)
    assert panel.page.evaluate("document.querySelector('#prompts').hidden")
    assert panel.page.evaluate(DRAFT) == "/"


def test_an_open_list_of_prompts_follows_a_change_of_them(panel: Panel) -> None:
    panel.type("/r")
    panel.page.until(f"({NAMES}).length > 1", what="the first prompts")
    try:
        own_prompts(panel, "tar", "rope")
        panel.page.until(f"({NAMES}).join() === 'tar,rope'", what="a person's own")
        panel.page.press(DOWN)
        own_prompts(panel, "oar", "tar", "rope")
        panel.page.until(f"({NAMES}).join() === 'oar,tar,rope'", what="one more")
        panel.page.press(ENTER)
        assert panel.page.evaluate(DRAFT) == "Where is the rope?", "the one that was chosen stays so"
    finally:
        panel.request("storage.remove", keys=["prompts"])


def test_prompts_that_come_late_are_listed_where_none_was_found_before(panel: Panel) -> None:
    panel.type("/ahoy")
    assert panel.page.evaluate("document.querySelector('#prompts').hidden")
    try:
        own_prompts(panel, "ahoy")
        panel.page.until(f"({NAMES}).join() === 'ahoy'", what="the prompt")
    finally:
        panel.request("storage.remove", keys=["prompts"])


def test_a_list_that_was_closed_stays_closed_when_prompts_change(panel: Panel) -> None:
    panel.type("/")
    panel.page.until(f"({NAMES}).length", what="the prompts")
    panel.page.press(ESCAPE)
    try:
        panel.request("storage.set", items={"prompts": [{"name": "rope", "text": "?"}], "activeModel": "heard"})
        panel.page.until("document.querySelector('#status').textContent.includes('heard')", what="the change")
        assert panel.page.evaluate("document.querySelector('#prompts').hidden")
    finally:
        panel.request("storage.remove", keys=["prompts", "activeModel"])


def test_the_model_is_switched_beside_the_question(beside: Stage, panel: Panel) -> None:
    provider = {**beside.model.provider(), "models": ["tiny", "large"]}
    panel.request("storage.set", items={"providers": {"test": provider}})
    pick = """(select => {
      const option = [...select.options].find(({textContent}) => textContent === 'large');
      if (!option) return false;
      select.value = option.value;
      return select.dispatchEvent(new Event('change'));
    })(document.querySelector('#provider'))"""
    panel.page.until(pick, what="the choice of models")
    panel.page.until("document.querySelector('#status').textContent.includes('large')", what="the switch")
    panel.send("Who are you?")
    assert panel.wait_answer().model == "large"
    assert beside.model.requests[-1]["model"] == "large"


def test_the_gauge_tells_how_full_the_window_is(panel: Panel) -> None:
    panel.send("How much?")
    panel.wait_answer()
    gauge = "document.querySelector('#gauge:not([hidden])')"
    panel.page.until(f"{gauge}?.value > 0 && {gauge}.value < {gauge}.max", what="the gauge")
    before = panel.page.evaluate(f"{gauge}.value")
    panel.type("x" * 4000)
    assert panel.page.evaluate(f"{gauge}.value") == pytest.approx(before + 1000, abs=2)
    panel.type("")
    panel.page.navigate(PANEL)
    panel.page.until(f"{gauge}?.value === {before}", what="the same gauge in a panel that opens later")
