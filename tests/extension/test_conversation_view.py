"""The conversation as it is shown: what an answer is drawn with, what can be done with a message, what is told about it."""

import json
from typing import Any

import pytest
from tests.extension.stage import Stage, panel, stage
from tests.extension.test_markdown import requests_of

from tasks import pages
from tasks.page import ENTER, ESCAPE
from tasks.panel import Panel
from tasks.places import ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["panel", "stage"]  # fixtures

SHOWN = "[...document.querySelectorAll('#transcript article .message-body')].map((body) => body.innerText)"
BODY = "document.querySelector('article[data-role=assistant] .message-body')"
FOOT = "document.querySelector('article[data-role=assistant] .foot').textContent"
DIAGRAM = "document.querySelector('.diagram').shadowRoot"
PICTURE = """(() => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [1200, 800];
  canvas.getContext('2d').fillRect(0, 0, 600, 400);
  return canvas.toDataURL('image/png');
})()"""

SET = """(async () => {
  const {MarkdownView} = await import("/lib/markdown.js");
  const {setFormulas} = await import("/lib/math.js");
  const root = document.createElement("div");
  new MarkdownView(root).update(%s);
  await setFormulas(root);
  return root.querySelectorAll(".katex").length;
})()"""
BELOW = "((log) => log.scrollHeight - log.scrollTop - log.clientHeight)(document.querySelector('#transcript'))"


def say(stage: Stage, text: str) -> None:
    """Have the model answer with a text, in small pieces, and wait until it is all there."""
    stage.model.words = [text[at : at + 9] for at in range(0, len(text), 9)]
    stage.panel.send("Go on")
    stage.panel.wait_answer()


def message(number: int, role: str, content: object, **fields: object) -> dict[str, Any]:
    return {"id": f"m{number}", "role": role, "content": content, "createdAt": 1_700_000_000_000 + number, **fields}


def test_code_is_coloured_and_copied_as_it_was_written(stage: Stage, panel: Panel) -> None:
    say(stage, "Here:\n\n```python\ndef f(x):\n    return x < 1\n```\n\nDone.")
    panel.page.until(f"{BODY}.querySelector('.hljs-keyword')", what="colours")
    panel.page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    panel.page.click(".code-block [data-action=copy-code]")
    assert panel.page.until("window.copied", what="the copy") == "def f(x):\n    return x < 1\n"


FORMULAS = {
    "a price is no formula": ("It costs $5 or $6.", 0),
    "dollars in a line": ("So $a^2 + b^2$ holds.", 1),
    "brackets in a line": (r"So \\(a^2\\) holds.".replace("\\\\", "\\"), 1),
    "dollars on their own": ("$$\n\\frac{1}{2}\n$$", 1),
    "brackets on their own": ("\\[\nx = 1\n\\]", 1),
    "a fence": ("```math\nx^2\n```", 1),
    "in a table": ("| a |\n|---|\n| $x_1$ |", 1),
    "in code": ("`$x$` and\n\n    $y$", 0),
    "one that is wrong stays as it was written": ("So $\\frac{$ is wrong.", 0),
}


@pytest.mark.parametrize(("text", "count"), list(FORMULAS.values()), ids=list(FORMULAS))
def test_formulas_are_set(stage: Stage, text: str, count: int) -> None:
    made = stage.panel.page.evaluate(SET % json.dumps(text))
    assert made == count


@pytest.mark.parametrize("tex", ["\\href{javascript:alert(1)}{x}", "\\includegraphics{https://a.example/p.png}"])
def test_a_formula_leads_nowhere_and_loads_nothing(stage: Stage, panel: Panel, tex: str) -> None:
    with requests_of(panel.page) as asked:
        say(stage, f"Look: ${tex}$ there.")
    assert [url for url in asked if not url.startswith((ORIGIN, "data:"))] == []
    assert panel.page.evaluate(f"{BODY}.querySelectorAll('a, img').length") == 0


def test_a_diagram_is_drawn_when_a_person_asks(stage: Stage, panel: Panel) -> None:
    say(stage, "```mermaid\ngraph TD\n  A[Start] --> B{Dark?}\n```")
    assert panel.page.evaluate("'mermaid' in window") is False
    panel.press("draw-diagram")
    assert "Dark?" in panel.page.until(f"{DIAGRAM}?.textContent", what="the diagram")
    assert panel.page.evaluate("document.querySelector('.code-block pre').hidden")
    panel.press("draw-diagram")
    panel.page.until("!document.querySelector('.code-block pre').hidden", what="its text again")


def test_a_hostile_diagram_loads_nothing(stage: Stage, panel: Panel) -> None:
    with pages.serve({}) as (base, _), requests_of(panel.page) as asked:
        lines = [
            '%%{init: {"themeCSS": ".node {background: url(LEAK/a.png)}"}}%%',
            "graph TD",
            '  A["<img src=LEAK/b.png onerror=alert(1)>"] --> B',
            '  click A "LEAK/c" "x"',
            "  style B fill:url(LEAK/d.png),background:url(LEAK/e.png)",
        ]
        say(stage, "```mermaid\n" + "\n".join(lines).replace("LEAK", base) + "\n```")
        panel.press("draw-diagram")
        panel.page.until(f"{DIAGRAM}?.firstChild", what="the diagram or the word that there is none")
    assert [url for url in asked if not url.startswith((ORIGIN, "data:"))] == []
    assert panel.page.evaluate(f"{DIAGRAM}.querySelectorAll('a, image, foreignObject, script').length") == 0


def test_a_drawing_keeps_nothing_that_could_load_or_lead(stage: Stage) -> None:
    drawing = """<svg xmlns="http://www.w3.org/2000/svg"><style>@import "https://a.example/s.css";
      .x { fill: url(https://a.example/p.svg); stroke: url(#own) }</style>
      <a href="https://a.example/"><text>t</text></a><image href="https://a.example/p.png"/><script>alert(1)</script>
      <foreignObject><img src="https://a.example/q.png" onerror="alert(1)"/></foreignObject>
      <rect style="fill: url(https://a.example/r.svg)" onclick="alert(1)"/><use href="https://a.example/u.svg#x"/></svg>"""
    made = stage.panel.page.evaluate(
        f"""import("/lib/markup.js").then(({{drawingMarkup}}) => drawingMarkup({json.dumps(drawing)}))
          .then(({{drawing, css}}) => ({{css, html: drawing.outerHTML}}))"""
    )
    assert "a.example" not in made["css"] + made["html"]
    assert "url(#own)" in made["css"]
    assert not any(name in made["html"] for name in ("<a", "<image", "<script", "foreignObject", "onclick", "<img"))


def test_what_a_diagram_cannot_be_made_of_is_said(stage: Stage, panel: Panel) -> None:
    say(stage, "```mermaid\nno such thing\n```")
    panel.press("draw-diagram")
    assert "No diagram" in panel.page.until(f"{DIAGRAM}?.textContent", what="the word")


def test_reasoning_is_folded_away(stage: Stage, panel: Panel) -> None:
    stage.model.thoughts = ["Let me ", "think."]
    stage.model.gate.clear()
    panel.send("Well?")
    panel.page.until("document.querySelector('.reasoning-text')?.textContent === 'Let me think.'", what="the thoughts")
    assert panel.page.evaluate("document.querySelector('.reasoning').open") is False
    stage.model.gate.set()
    panel.wait_answer()


def test_asking_again_leaves_one_bubble(stage: Stage, panel: Panel) -> None:
    panel.send("Is it lit?")
    panel.wait_answer()
    stage.model.words = ["No, ", "it ", "is ", "dark."]
    stage.model.gate.clear()
    panel.press("again")
    panel.page.until(f"({SHOWN}).at(-1) === 'No, it'", what="the beginning of the new answer")
    assert panel.page.evaluate(SHOWN) == ["Is it lit?", "No, it"], "also while it is made"
    stage.model.gate.set()
    panel.page.until(f"({SHOWN}).at(-1) === 'No, it is dark.'", what="the new answer")
    assert panel.page.evaluate(SHOWN) == ["Is it lit?", "No, it is dark."]
    assert len(panel.request("history.get", pixels="none")["messages"]) == 2


def test_a_question_without_an_answer_is_asked_again_where_it_stands(stage: Stage, panel: Panel) -> None:
    stage.model.status = 500
    panel.send("Why does it blink?")
    panel.wait_alert()
    assert "trying again" not in panel.page.evaluate("document.querySelector('#status').textContent")
    stage.model.status = 200
    panel.page.click("[data-action=retry]")
    panel.page.until(f"{BODY}?.innerText === 'The light blinks twice.'", what="the answer")
    assert panel.page.evaluate(SHOWN) == ["Why does it blink?", "The light blinks twice."]
    assert panel.page.evaluate("document.querySelector('[data-action=retry]').checkVisibility()") is False


def test_an_edited_question_takes_the_place_of_what_followed(stage: Stage, panel: Panel) -> None:
    for question in ("First?", "Second?"):
        panel.send(question)
        panel.wait_answer()
    panel.page.click("article:nth-of-type(1) [data-action=edit]")
    panel.page.evaluate("document.activeElement.select()")
    panel.page.type("Another?")
    panel.page.press(ENTER)
    panel.page.until(f"({SHOWN}).join() === 'Another?,The light blinks twice.'", what="one question, one answer")
    stored = panel.request("history.get", pixels="none")["messages"]
    assert [one["content"] for one in stored] == ["Another?", "The light blinks twice."]


def test_an_edit_that_is_given_up_changes_nothing(panel: Panel) -> None:
    panel.send("As it was")
    panel.wait_answer()
    panel.press("edit")
    panel.page.type("x")
    panel.page.press(ESCAPE)
    assert panel.page.evaluate(SHOWN) == ["As it was", "The light blinks twice."]
    assert panel.page.evaluate("document.activeElement.dataset.action") == "edit", "the focus returns"


def test_a_message_is_deleted_after_a_yes(panel: Panel) -> None:
    panel.send("Keep me")
    panel.wait_answer()
    panel.page.click("article[data-role=assistant] [data-action=delete-message]")
    panel.press("confirm-delete-message")
    panel.page.until(f"({SHOWN}).join() === 'Keep me'", what="one message less")
    assert len(panel.request("history.get", pixels="none")["messages"]) == 1


def test_the_quiet_line_says_who_answered_and_what_it_took(stage: Stage, panel: Panel) -> None:
    stage.model.usage = {"prompt_tokens": 1200, "completion_tokens": 34, "total_tokens": 1234}
    panel.send("Who?")
    panel.wait_answer()
    panel.page.until(f"{FOOT} === 'test · tiny · 1,234 tokens'", what="the quiet line")


def test_a_picture_opens_full_size_from_the_original(stage: Stage, panel: Panel) -> None:
    original = panel.page.evaluate(PICTURE)
    part = {"type": "image_url", "image_url": {"url": original}}
    stage.seed([message(1, "user", [{"type": "text", "text": "Look"}, part])])
    small = panel.page.until("document.querySelector('.pictures img')?.naturalWidth", what="the thumbnail")
    assert small < 1200
    panel.press("open-picture")
    panel.page.until("document.querySelector('#viewer img')?.naturalWidth === 1200", what="the original")
    panel.page.press(ESCAPE)
    panel.page.until("!document.querySelector('#viewer img')", what="the picture's going")
    assert panel.page.evaluate("document.activeElement.dataset.action") == "open-picture", "the focus returns"


def test_times_are_buttons_where_the_talk_is_about_a_video(stage: Stage, panel: Panel) -> None:
    page = "[Page context attached by sidekeep]\nURL: https://v.example/\nTitle: V\nMode: captions\n---\n\n[00:01] Hi"
    answer = message(3, "assistant", "At [01:05] and [1:00:01], not `[02:00]`.")
    stage.seed([message(1, "user", "?"), {**answer, "id": "m2"}])
    assert panel.page.evaluate("document.querySelectorAll('[data-action=seek]').length") == 0
    about = message(1, "user", page, attachId="at1", videoSrc="https://v.example/")
    stage.seed([about, message(2, "user", "?"), answer])
    seconds = "[...document.querySelectorAll('[data-action=seek]')].map(({dataset}) => Number(dataset.seconds))"
    assert panel.page.until(f"({seconds}).length && {seconds}", what="the buttons") == [65, 3601]
    panel.press("seek")
    panel.page.until("document.querySelector('#status').textContent.includes('not open')", what="the word of its going")


def test_a_long_chat_shows_its_end_at_once_and_formats_the_rest(stage: Stage, panel: Panel) -> None:
    talk = [message(n, "assistant" if n % 2 else "user", f"**{n}** and\n\n- `x`") for n in range(300)]
    stage.seed(talk)
    panel.page.until("document.querySelectorAll('article strong').length === 150", what="all that is Markdown")
    panel.page.until(f"{BELOW} < 50", what="the end in sight")
