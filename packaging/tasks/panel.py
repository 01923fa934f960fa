"""The side panel, used as a person uses it: its buttons, its keys, the text that it shows.

The selectors are the panel's contract with its tests (docs/design.md, The extension): roles and data attributes of what
a person sees.
"""

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tasks.cdp import CdpTimeoutError
from tasks.page import ENTER, Page
from tasks.say import TaskError

STATE = "document.documentElement?.dataset.state"
# Of an error its sentences, not the labels of its buttons.
ALERT = """[...document.querySelectorAll('[role=alert]')].filter((alert) => alert.checkVisibility()).map((alert) => {
  const copy = alert.cloneNode(true);
  copy.querySelectorAll('button').forEach((button) => button.remove());
  return [...copy.children].map((part) => part.textContent.trim()).filter(Boolean).join(' ') || copy.textContent.trim();
}).filter(Boolean).join(' ')"""
CHIP = """(() => {
  const chip = document.querySelector('[data-attachment-id]');
  return chip && {id: chip.dataset.attachmentId, title: chip.dataset.title, chars: Number(chip.dataset.chars)};
})()"""
ANSWERS = "document.querySelectorAll('#transcript article[data-role=assistant]')"
# The last answer after the first `%d`, the text that it shows, and whether more is to come.
ANSWER = (
    """(() => {
  const answers = """
    + ANSWERS
    + """;
  const last = answers.length > %d ? answers[answers.length - 1] : null;
  const text = last?.querySelector('.message-body')?.innerText ?? '';
  const busy = !last || last.getAttribute('aria-busy') === 'true';
  const interrupted = last?.dataset.interrupted === 'true';
  return {text, busy, interrupted, provider: last?.dataset.provider ?? '', model: last?.dataset.model ?? ''};
})()"""
)
REQUEST = """new Promise((resolve, reject) => {
  const port = chrome.runtime.connect({name: 'sidekeep'});
  port.onDisconnect.addListener(() => reject(new Error('the worker hung up')));
  port.onMessage.addListener((message) => {
    if (message.id !== 'task') return;
    port.disconnect();
    if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
  });
  port.postMessage({id: 'task', method: %s, params: %s});
})"""
# Counts what the page itself has asked its host and not been told yet; an announcement makes it ask.
WATCH = """import('/lib/host-client.js').then(({HostClient: {prototype}}) => {
  if (prototype.asking !== undefined) return;
  const {request} = prototype;
  prototype.asking = 0;
  prototype.request = function (...call) {
    const answer = request.apply(this, call);
    const told = () => setTimeout(() => { prototype.asking -= 1; }); // after what the page makes of it
    prototype.asking += 1;
    answer.then(told, told);
    return answer;
  };
})"""
ASKING = "import('/lib/host-client.js').then(({HostClient: {prototype}}) => prototype.asking ?? 0)"
FIRST_TOKEN_S = 240
SILENCE_S = 120
# What has been scrolled off the screen is not laid out, and has no innerText then.
TRANSCRIPT = """[...document.querySelectorAll('#transcript article[data-role]')].map((article) => {
  const body = article.querySelector('.message-body') ?? article;
  return {
    role: article.dataset.role,
    text: body.innerText || body.textContent,
    interrupted: article.dataset.interrupted === 'true',
  };
})"""


@dataclass(frozen=True, slots=True)
class Chip:
    """The attachment's chip above the composer."""

    id: str
    title: str
    chars: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the panel shows of the newest answer."""

    text: str
    busy: bool
    interrupted: bool
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One message in the transcript."""

    role: str
    text: str
    interrupted: bool


class Panel:
    """An open panel."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._answers_before = 0

    @property
    def state(self) -> str:
        """`starting`, `ready`, `no-host`, `outdated` or `crashed`."""
        return str(self.page.evaluate(STATE))

    @property
    def alert(self) -> str:
        """The text of the errors on show, or ''."""
        return str(self.page.evaluate(ALERT))

    def wait_ready(self, *, timeout_s: float = 60) -> None:
        """Wait until the panel has found its host. Raises TaskError with what the panel says instead."""
        settled = f"document.readyState === 'complete' && {STATE} && {STATE} !== 'starting' && {STATE}"
        try:
            state = self.page.until(settled, what="the panel's start", timeout_s=timeout_s)
        except CdpTimeoutError as exc:
            raise TaskError(
                f"The panel did not get ready within {timeout_s:g} s: {self.alert or 'it shows no error'}."
            ) from exc
        if state != "ready":
            raise TaskError(self.alert or f"The panel says {state} and shows no error.")

    def attach_page(self, *, timeout_s: float = 60) -> Chip:
        """Press Attach page and wait for the chip. Raises TaskError with the panel's error."""
        self.press("attach-page")
        shown = self._wait_or_alert(CHIP, what="the attachment's chip", timeout_s=timeout_s)
        return Chip(**shown)

    def press(self, action: str) -> None:
        """Click the button that carries a `data-action`."""
        self.page.click(f'[data-action="{action}"]')

    def type(self, text: str) -> None:
        """Type into the composer, after what is in it."""
        # A click would put the caret where the mouse is, which may be in the middle of a draft.
        if not self.page.evaluate("document.activeElement?.id === 'composer-input'"):
            self.page.click("#composer-input")
        self.page.type(text)

    def send(self, text: str) -> None:
        """Type a question and press Enter."""
        self._answers_before = int(self.page.evaluate(f"{ANSWERS}.length"))
        self.type(text)
        self.page.press(ENTER)

    def answer(self) -> Answer:
        """The answer to what was sent last, as it stands now."""
        return Answer(**self.page.evaluate(ANSWER % self._answers_before))

    def answers(self) -> Iterator[Answer]:
        """The answer to what was sent last, each time that it shows something new, to its end.

        Raises TaskError with the panel's error, or when nothing comes for too long.
        """
        answer = Answer("", busy=True, interrupted=False, provider="", model="")
        while answer.busy:
            limit_s = SILENCE_S if answer.text else FIRST_TOKEN_S
            answer = self._next(answer, limit_s)
            yield answer

    def transcript(self) -> list[Shown]:
        """The messages on show."""
        return [Shown(**message) for message in self.page.evaluate(TRANSCRIPT)]

    def wait_shown(self, role: str, text: str, *, timeout_s: float = 60) -> None:
        """Wait until the transcript shows a message of that role that contains the text."""
        wanted = f"m.role === {json.dumps(role)} && m.text.includes({json.dumps(text)})"
        self.page.until(f"{TRANSCRIPT}.some((m) => {wanted})", what=f"the {role}'s “{text}”", timeout_s=timeout_s)

    def wait_alert(self, *, timeout_s: float = 60) -> str:
        """Wait for an error on show; its text."""
        return str(self.page.until(ALERT, what="an error message", timeout_s=timeout_s))

    def wait_state(self, state: str, *, timeout_s: float = 60) -> None:
        """Wait until the panel is in a state, such as `no-host`."""
        self.page.until(f"{STATE} === {json.dumps(state)}", what=f"the state {state}", timeout_s=timeout_s)

    def wait_answer(self) -> Answer:
        """The whole answer to what was sent last."""
        return list(self.answers())[-1]

    @contextlib.contextmanager
    def coming_back(self) -> Iterator[None]:
        """What ends its worker or its host is done in the block; after it, the panel has noticed, and is ready again."""
        # Until it notices, it would go on calling itself ready.
        self.page.evaluate("document.documentElement.dataset.state = 'unaware'")
        yield
        self.wait_state("ready")

    def request(self, method: str, **params: Any) -> Any:
        """One request on a port beside the panel's own; the panel has read what that changed.

        Raises CdpError with the host's message.
        """
        self.page.evaluate(WATCH)
        answer = self.page.evaluate(REQUEST % (json.dumps(method), json.dumps(params)))
        # What the host announces of a change comes before the answer, on the panel's port: with the next round trip it is there.
        self.page.evaluate(REQUEST % ('"storage.get"', '{"keys": []}'))
        with contextlib.suppress(CdpTimeoutError):  # something long runs: that is what the panel shows
            self.page.until(f"{ASKING}.then((count) => count === 0)", what="the panel's own reading", timeout_s=10)
        return answer

    def _next(self, seen: Answer, limit_s: float) -> Answer:
        news = ANSWER % self._answers_before
        changed = f"((now) => (!now.busy || now.text !== {json.dumps(seen.text)}) && now)({news})"
        return Answer(**self._wait_or_alert(changed, what="the answer", timeout_s=limit_s))

    def _wait_or_alert(self, expression: str, *, what: str, timeout_s: float) -> Any:
        """The value of an expression once it is truthy, unless the panel shows an error first."""
        either = f"((value, alert) => (value && {{value}}) || (alert && {{alert}}))({expression}, {ALERT})"
        started = time.monotonic()
        try:
            found = self.page.until(either, what=what, timeout_s=timeout_s)
        except CdpTimeoutError as exc:
            waited_s = time.monotonic() - started
            raise TaskError(f"{what[0].upper()}{what[1:]} did not come within {waited_s:.0f} s.") from exc
        if "alert" in found:
            raise TaskError(found["alert"])
        return found["value"]
