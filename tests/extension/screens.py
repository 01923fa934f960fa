"""Takes the pictures in docs/screens/ anew: `python -m tests.extension.screens`. Each screen in light, in dark and in Russian."""

import contextlib
import io
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from tests.browser import model_server
from tests.browser.conftest import Person, choose
from tests.browser.model_server import ModelServer

from tasks import vendor
from tasks.cdp import CdpError
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import ORIGIN, ROOT

FOLDER = ROOT / "docs" / "screens"
LOOKS = {"light": ("light", "en"), "dark": ("dark", "en"), "ru": ("light", "ru")}
ANSWER = """The light is seen as far as the curve of the sea lets it: $d \\approx 3.57\\,(\\sqrt{h} + \\sqrt{o})$ kilometres.

```python
def reach_km(height_m: float, eye_m: float = 2) -> float:
    return 3.57 * (height_m**0.5 + eye_m**0.5)
```

| tower | height | reach |
|---|---:|---:|
| Vell | 42 m | 28 km |
| Porto | 18 m | 20 km |
"""
TALK = {
    "en": ("How far is the light of Vell seen?", ANSWER, ["Ropes for a small boat", "The tides of October"], "Harbour"),
    "ru": (
        "Как далеко виден огонь Велла?",
        ANSWER.replace("The light is seen as far as the curve of the sea lets it:", "Огонь виден, пока позволяет кривизна моря:")
        .replace("kilometres", "километров")
        .replace("tower | height | reach", "башня | высота | дальность")
        .replace(" km", " км")
        .replace("42 m", "42 м")
        .replace("18 m", "18 м"),
        ["Верёвки для лодки", "Приливы октября"],
        "Гавань",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Set:
    """One look: an open panel and what it talks about."""

    panel: Panel
    model: ModelServer
    language: str

    def open(self, path: str, width: int = 400, height: int = 720) -> Page:
        page = self.panel.page
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        page.call("Emulation.setDeviceMetricsOverride", size)
        page.navigate(ORIGIN + path)
        return page


def welcome(stage: Set) -> Page:
    page = stage.open("panel/panel.html")
    stage.panel.wait_ready()
    page.until("!document.querySelector('#welcome').hidden", what="the empty chat")
    return page


def conversation(stage: Set) -> Page:
    question, answer, _, _ = TALK[stage.language]
    stage.model.words = [answer]
    stage.model.usage = {"prompt_tokens": 1480, "completion_tokens": 143, "total_tokens": 1623}
    stage.panel.request(
        "attachments.add",
        page={
            "url": "https://vell.example/",
            "title": "Vell",
            "mode": "readable",
            "text": "The light blinks twice. " * 200,
        },
    )
    stage.panel.send(question)
    stage.panel.wait_answer()
    stage.panel.page.evaluate("document.querySelector('#host-notices button')?.click()")
    stage.panel.page.until(
        "document.querySelector('.katex') && document.querySelector('.hljs-keyword')", what="colours"
    )
    return stage.panel.page


def chats(stage: Set) -> Page:
    _, _, names, folder = TALK[stage.language]
    stage.panel.request("folders.create", name=folder)
    for number, name in enumerate(names):
        message = {"id": f"m{number}", "role": "user", "content": name, "createdAt": 1}
        stage.panel.request("storage.set", items={"history": [message]})
        stage.panel.request("sessions.save", name=name)
    chat = stage.panel.request("sessions.list")["sessions"][0]
    stage.panel.request("sessions.pin", id=chat["id"], pinned=True)
    stage.panel.press("chats")
    stage.panel.page.until("document.querySelectorAll('[data-session-id]').length >= 3", what="the chats")
    return stage.panel.page


def settings(stage: Set) -> Page:
    page = stage.open("options/options.html", 760, 900)
    page.until("document.querySelector('#data-facts dd')", what="the settings")
    return page


def data(stage: Set) -> Page:
    page = settings(stage)
    stage.panel.request("backups.make")
    page.navigate(ORIGIN + "options/options.html")
    page.until("document.querySelector('#backup-list li[title]')", what="the backup")
    page.evaluate("document.querySelector('#keeping').scrollIntoView()")
    return page


def host_missing(stage: Set) -> Page:
    page = stage.open("panel/panel.html")
    stage.panel.wait_state("no-host")
    return page


WITH_HOST: list[Callable[[Set], Page]] = [welcome, conversation, chats, settings, data]


def main() -> None:
    """Take them all."""
    vendor.ensure()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for look, (theme, language) in LOOKS.items():
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack, model_server.running() as model:
            person = Person(_home(Path(folder)), Path(folder), stack)
            browser = person.start()
            panel = Panel(browser.open(ORIGIN + "panel/panel.html"))
            panel.wait_ready()
            choose(panel, model)
            with contextlib.suppress(CdpError):  # the panel is loaded anew in the other language meanwhile
                panel.request("storage.set", items={"theme": theme, "uiLanguage": language})
            stage = Set(panel, model, language)
            for screen in WITH_HOST:
                keep(screen(stage), f"{screen.__name__}-{look}")
            browser.close()
            bare = Panel(person.start("bare", with_manifest=False).open(ORIGIN + "panel/panel.html"))
            look_of = f'{{"theme": "{theme}", "uiLanguage": "{language}"}}'
            bare.page.evaluate(f"localStorage.setItem('sidekeepLook', '{look_of}')")
            bare.page.evaluate(f"chrome.storage.local.set({look_of})")
            keep(host_missing(Set(bare, model, language)), f"host-missing-{look}")


def keep(page: Page, name: str) -> None:
    """Write a picture with few colours, so that it is small."""
    file = FOLDER / f"{name}.png"
    page.evaluate("document.activeElement?.blur()")
    page.evaluate("document.querySelector('#host-notices button')?.click()")  # about this computer's other stores
    page.screenshot(file)
    picture = Image.open(io.BytesIO(file.read_bytes())).convert("RGB")
    picture.quantize(255, dither=Image.Dither.NONE).save(file, optimize=True)
    print(name, file.stat().st_size)


def _home(folder: Path) -> Path:
    home = folder / "home"
    home.mkdir(mode=0o700)
    return home


if __name__ == "__main__":
    main()
