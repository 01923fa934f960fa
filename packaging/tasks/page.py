"""One page, worker or panel, driven through its CDP session: expressions, waits, real keys and clicks."""

import json
import threading
import time
from base64 import b64decode
from pathlib import Path
from typing import Any

from tasks.cdp import CdpError, CdpTimeoutError, Connection, Params

# The page looks again whenever its document changes, so nobody polls through the pipe. The interval is for what
# is no change of the document (a value typed, a promise kept).
UNTIL = """new Promise((resolve, reject) => {
  const probe = async () => (%s);
  let over = false;
  const end = (settle, value) => {
    if (over) return;
    over = true; observer.disconnect(); clearInterval(pulse); clearTimeout(limit); settle(value);
  };
  const look = () => probe().then((value) => { if (value) end(resolve, {value}); }, (error) => end(reject, error));
  const observer = new MutationObserver(look);
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const pulse = setInterval(look, 100);
  const limit = setTimeout(() => end(resolve, {late: true}), %d);
  look();
})"""
# A mouse meets what is at a place by then: so the element must stand still, take clicks, and have nothing in front of it.
CENTRE = """(async () => {
  const centre = () => {
    const element = document.querySelector(%s);
    if (!element || element.disabled) return null;
    element.scrollIntoView({block: "nearest", behavior: "instant"});
    const box = element.getBoundingClientRect();
    const at = {x: box.x + box.width / 2, y: box.y + box.height / 2};
    const hit = document.elementFromPoint(at.x, at.y);
    return hit && (element.contains(hit) || hit.contains(element)) ? at : null;
  };
  const before = centre();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const after = centre();
  return before && after && before.x === after.x && before.y === after.y ? after : null;
})()"""
ENTER: Params = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
ESCAPE: Params = {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27}


class Page:
    """An attached target. Close it with `detach`; an attached session keeps a service worker alive."""

    def __init__(self, connection: Connection, target_id: str) -> None:
        self.connection = connection
        self.target_id = target_id
        answer = connection.call("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        self.session: str = answer["sessionId"]

    def call(self, method: str, params: Params | None = None, *, timeout_s: float = 60) -> Params:
        """Send one command to this target."""
        return self.connection.call(method, params, session=self.session, timeout_s=timeout_s)

    def evaluate(self, expression: str, *, gesture: bool = False, timeout_s: float = 60) -> Any:
        """The JSON value of a JavaScript expression, awaited if it is a promise. Raises CdpError if it throws."""
        params = {
            "expression": expression,
            "awaitPromise": True,
            "returnByValue": True,
            "userGesture": gesture,
        }
        answer = self.call("Runtime.evaluate", params, timeout_s=timeout_s)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise CdpError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, expression: str, *, what: str, timeout_s: float = 60) -> Any:
        """Wait until a JavaScript expression is truthy and return its value; `what` names it in the time-out's text.

        A page that is replaced meanwhile is looked at anew.
        """
        deadline = time.monotonic() + timeout_s
        while (left_s := deadline - time.monotonic()) > 0:
            try:
                answer = self.evaluate(UNTIL % (expression, int(left_s * 1000)), timeout_s=left_s + 5)
            except CdpTimeoutError:
                break
            except CdpError as error:
                if not _replaced(error):
                    raise
                continue
            if "value" in answer:
                return answer["value"]
        raise CdpTimeoutError(f"{what} did not happen within {timeout_s:g} s")

    def click(self, selector: str) -> None:
        """Press and release the mouse in the middle of an element, as a person does."""
        point = self.until(CENTRE % json.dumps(selector), what=f"the appearance of {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            mouse = {"type": kind, "button": "left", "clickCount": 1, **point}
            self.call("Input.dispatchMouseEvent", mouse)

    def type(self, text: str) -> None:
        """Type text into whatever has the focus."""
        self.call("Input.insertText", {"text": text})

    def press(self, key: Params, *, modifiers: int = 0) -> None:
        """Press and release one key: ENTER or ESCAPE. `modifiers` as CDP has them (8 = Shift)."""
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", "modifiers": modifiers, **key})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", "modifiers": modifiers, **key})

    def navigate(self, url: str, *, timeout_s: float = 20) -> str:
        """Go to an address and wait for its load event, or the time. Returns the browser's error text, or ''."""
        loaded = threading.Event()

        def on_event(message: Params) -> None:
            if message["method"] == "Page.loadEventFired" and message.get("sessionId") == self.session:
                loaded.set()

        self.call("Page.enable")
        stop = self.connection.listen(on_event)
        try:
            answer = self.call("Page.navigate", {"url": url}, timeout_s=timeout_s)
            if error := answer.get("errorText"):
                return str(error)
            # A page that never finishes loading can still be read: going on is better than giving up.
            loaded.wait(timeout_s)
            return ""
        finally:
            stop()

    def screenshot(self, path: Path) -> None:
        """Write a PNG of what the page shows."""
        path.write_bytes(b64decode(self.call("Page.captureScreenshot", {"format": "png"})["data"]))

    def detach(self) -> None:
        """End the session; the page lives on."""
        self.connection.call("Target.detachFromTarget", {"sessionId": self.session})

    def close(self) -> None:
        """Close the page and wait until it is gone."""
        self.connection.call("Target.closeTarget", {"targetId": self.target_id})
        self.connection.wait_gone(self.target_id, timeout_s=30)


def _replaced(error: CdpError) -> bool:
    text = str(error)
    return "context was destroyed" in text or "navigated or closed" in text or "Cannot find context" in text
