"""`stream`: deltas a second of an answer, from the model server through host and worker until the panel has drawn the last.

Beside it the limit: the smallest host that Python can be, which sends the same deltas to the worker out of its memory.
"""

import json

from tasks.bench import limit
from tasks.bench.figures import Comparison, Figure, Table, interleaved
from tasks.bench.model_server import serving
from tasks.bench.worker import Worker, worker
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import ORIGIN

PEER = "the smallest host to the worker"
PANEL = "model server, host, worker, panel"
WORK = "an answer of 2,000 deltas"
DELTAS = 2_000
UNIT = "deltas/s"
# Counts what the worker tells the panel, and looks for the answer's end on the screen. Times are from the first delta.
ASK = """(async () => {
  const port = chrome.runtime.connect({name: "sidekeep"});
  const settled = Promise.withResolvers();
  let first = 0;
  let deltas = 0;
  port.onMessage.addListener(({id, method, error, params}) => {
    if (id === 1 && error) settled.reject(new Error(error.message));
    if (method === "turn.failed") settled.reject(new Error(params.error.message));
    if (method === "turn.delta" && (deltas += 1) === 1) first = performance.now();
    if (method === "turn.done") settled.resolve();
  });
  const before = document.querySelectorAll("#transcript article").length;
  port.postMessage({id: 1, method: "turn.send", params: {text: "Go on."}});
  await settled.promise;
  const drawn = () => document.querySelectorAll("#transcript article").length === before + 2
    && document.querySelector("#transcript article:last-child").textContent.includes(%s);
  while (!drawn()) await new Promise((next) => requestAnimationFrame(next));
  port.disconnect();
  return {deltas, ms: performance.now() - first};
})()"""
HEAR = """
const port = chrome.runtime.connectNative(%s);
let first = 0;
let deltas = 0;
await new Promise((resolve) => {
  port.onMessage.addListener(() => {
    if ((deltas += 1) === 1) first = performance.now();
    if (deltas === %d) resolve();
  });
  port.postMessage({});
});
port.disconnect();
return {deltas, ms: performance.now() - first};
"""


def measure(runs: int, *, deltas: int = DELTAS) -> Table:
    """Each sample is a whole answer. Raises TaskError."""
    words = [f"word{number} " for number in range(deltas)]
    with serving(words) as address, worker() as started:
        name = limit.install(started.browser.profile, "stream", _frames(words))
        page = _panel(started, address)
        works = {
            PEER: lambda: {PEER: _rate(started.run(HEAR % (json.dumps(name), deltas)))},
            PANEL: lambda: {PANEL: _rate(page.evaluate(ASK % json.dumps(words[-1].strip()), timeout_s=300))},
        }
        samples = interleaved(works, runs)
    figure = Figure(PANEL, samples[PANEL], UNIT)
    return Table("stream", WORK, Figure(PEER, samples[PEER], UNIT), (figure,), (Comparison(PANEL, PEER),))


def _panel(started: Worker, address: str) -> Page:
    page = started.browser.open(ORIGIN + "panel/panel.html")
    panel = Panel(page)
    panel.wait_ready()
    provider = {"name": "Bench", "kind": "openai-chat", "baseUrl": address, "model": "words"}
    items = {"providers": {"bench": provider}, "activeProvider": "bench", "activeModel": "words"}
    panel.request("storage.set", items=items)
    return page


def _frames(words: list[str]) -> list[bytes]:
    """The notifications that the host sends for an answer of these words."""
    frames, offset = [], 0
    for word in words:
        params = {"turn": "00000000-0000-0000-0000-000000000000", "offset": offset, "text": word}
        frames.append(json.dumps({"jsonrpc": "2.0", "method": "turn.delta", "params": params}).encode())
        offset += len(word)
    return frames


def _rate(answer: dict[str, float]) -> float:
    return 1000 * answer["deltas"] / answer["ms"]
