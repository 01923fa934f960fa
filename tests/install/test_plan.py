"""Where a plan puts the host, for every Chromium-family row of the tables of `hosts.md`, section 2, on every platform."""

import json
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest
from tests.install import golden
from tests.install.fake_machine import PROGRAMS, FakeMachine

from sidekeep.errors import InstallFailed
from sidekeep.install import manifest, plan
from sidekeep.install.browsers import Platform, all_browsers
from sidekeep.install.machine import RegistryKey
from sidekeep.install.places import Wish
from sidekeep.install.plan import CopyTree, DeleteKey, Plan, RemoveFile, SetKey, WriteFile
from sidekeep.install.sandbox import Program

FILE = "dev.sidekeep.host.json"
FOLDER = "NativeMessagingHosts"
OTHER = "a" * 32
# Of a home without anything in it, for Chrome.
FOLDERS_TO_MAKE = {"linux": 3, "macos": 5, "windows": 3}

# browser -> user data directories that get a manifest, folder for the whole machine
LINUX = {
    "chrome": (["google-chrome"], "/etc/opt/chrome"),
    "chrome-beta": (["google-chrome-beta"], "/etc/opt/chrome"),
    "chrome-dev": (["google-chrome-unstable"], "/etc/opt/chrome"),
    "chromium": (["chromium"], "/etc/chromium"),
    "chrome-for-testing": (["google-chrome-for-testing"], "/etc/opt/chrome_for_testing"),
    "edge": (["microsoft-edge"], "/etc/opt/edge"),
    "edge-beta": (["microsoft-edge-beta"], "/etc/opt/edge"),
    "edge-dev": (["microsoft-edge-dev"], "/etc/opt/edge"),
    "brave": (["BraveSoftware/Brave-Browser"], "/etc/opt/chrome"),
    "vivaldi": (["vivaldi"], "/etc/opt/chrome"),
    "opera": (["google-chrome"], "/etc/opt/chrome"),
    "ungoogled-chromium": (["ungoogled-chromium"], "/etc/chromium"),
    "helium": (["net.imput.helium"], "/etc/chromium"),
}
MACOS = {
    "chrome": (["Google/Chrome"], "/Library/Google/Chrome"),
    "chrome-beta": (["Google/Chrome Beta"], "/Library/Google/Chrome"),
    "chrome-dev": (["Google/Chrome Dev"], "/Library/Google/Chrome"),
    "chrome-canary": (["Google/Chrome Canary"], "/Library/Google/Chrome"),
    "chromium": (["Chromium"], "/Library/Application Support/Chromium"),
    "chrome-for-testing": (["Google/ChromeForTesting"], "/Library/Google/ChromeForTesting"),
    "edge": (["Microsoft Edge"], "/Library/Microsoft/Edge"),
    "edge-beta": (["Microsoft Edge Beta"], "/Library/Microsoft/Edge"),
    "brave": (["BraveSoftware/Brave-Browser", "Google/Chrome"], "/Library/Google/Chrome"),
    "vivaldi": (["Vivaldi"], "/Library/Google/Chrome"),
    "opera": (["Google/Chrome"], "/Library/Google/Chrome"),
    "arc": (["Arc/User Data"], "/Library/Google/Chrome"),
}
WINDOWS = {
    "chrome": [r"Google\Chrome"],
    "chromium": ["Chromium"],
    "edge": [r"Microsoft\Edge"],
    "brave": [r"BraveSoftware\Brave-Browser", r"Google\Chrome"],
    "vivaldi": ["Vivaldi", r"Google\Chrome"],
    "opera": [r"Google\Chrome"],
    "arc": [r"Google\Chrome"],
    "chrome-for-testing": [r"Google\Chrome"],
}
SANDBOXES = {
    "chromium-snap": ("snap/chromium/common/chromium", "snap/chromium/common"),
    "chrome-flatpak": (".var/app/com.google.Chrome/config/google-chrome", ".var/app/com.google.Chrome"),
    "chromium-flatpak": (".var/app/org.chromium.Chromium/config/chromium", ".var/app/org.chromium.Chromium"),
    "edge-flatpak": (".var/app/com.microsoft.Edge/config/microsoft-edge", ".var/app/com.microsoft.Edge"),
    "brave-flatpak": (
        ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser",
        ".var/app/com.brave.Browser",
    ),
    "vivaldi-flatpak": (".var/app/com.vivaldi.Vivaldi/config/vivaldi", ".var/app/com.vivaldi.Vivaldi"),
    "opera-flatpak": (".var/app/com.opera.Opera/config/google-chrome", ".var/app/com.opera.Opera"),
}


def program(platform: Platform) -> Program:
    return Program(PROGRAMS[platform])


def written(made: Plan) -> list[str]:
    return [str(step.path) for step in made.steps if isinstance(step, WriteFile)]


def manifest_of(made: Plan) -> dict[str, object]:
    (step,) = [step for step in made.steps if isinstance(step, WriteFile) and step.path.name == FILE]
    found: dict[str, object] = json.loads(step.content)
    return found


def applied(machine: FakeMachine, made: Plan) -> None:
    """The plan's outcome on a machine that is a dictionary."""
    for step in made.steps:
        if isinstance(step, WriteFile):
            machine.files[step.path] = step.content
        elif isinstance(step, SetKey):
            machine.registry[step.key] = step.value


@pytest.mark.parametrize("name", LINUX)
def test_linux_a_users_own(name: str) -> None:
    made = plan.install(FakeMachine("linux"), Wish((name,)), program("linux"))
    assert written(made) == [f"/home/ania żak/.config/{data}/{FOLDER}/{FILE}" for data in LINUX[name][0]]


@pytest.mark.parametrize("name", LINUX)
def test_linux_the_whole_machine(name: str) -> None:
    made = plan.install(FakeMachine("linux"), Wish((name,), system=True), program("linux"))
    assert written(made) == [f"{LINUX[name][1]}/native-messaging-hosts/{FILE}"]


@pytest.mark.parametrize("name", MACOS)
def test_macos_a_users_own(name: str) -> None:
    made = plan.install(FakeMachine("macos"), Wish((name,)), program("macos"))
    base = "/Users/Ania Żak/Library/Application Support"
    assert written(made) == [f"{base}/{data}/{FOLDER}/{FILE}" for data in MACOS[name][0]]


@pytest.mark.parametrize("name", MACOS)
def test_macos_the_whole_machine(name: str) -> None:
    made = plan.install(FakeMachine("macos"), Wish((name,), system=True), program("macos"))
    assert written(made) == [f"{MACOS[name][1]}/{FOLDER}/{FILE}"]


@pytest.mark.parametrize("system", [False, True], ids=["a user's own", "the whole machine"])
@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str, *, system: bool) -> None:
    made = plan.install(FakeMachine("windows"), Wish((name,), system=system), program("windows"))
    folder = r"C:\ProgramData\sidekeep" if system else r"C:\Users\Ania Żak\AppData\Local\sidekeep"
    root = "HKLM" if system else "HKCU"
    assert written(made) == [rf"{folder}\{FILE}"]
    keys = [str(step.key) for step in made.steps if isinstance(step, SetKey)]
    assert keys == [rf"{root}\Software\{path}\{FOLDER}\dev.sidekeep.host" for path in WINDOWS[name]]
    assert {step.value for step in made.steps if isinstance(step, SetKey)} == {rf"{folder}\{FILE}"}


@pytest.mark.parametrize("name", SANDBOXES)
def test_a_sandbox_gets_a_copy_of_the_program_and_a_store_of_its_own(name: str) -> None:
    data, tree = (f"/home/ania żak/{path}" for path in SANDBOXES[name])
    whole = Program(PROGRAMS["linux"], PROGRAMS["linux"].parent)
    made = plan.install(FakeMachine("linux"), Wish((name,)), whole)
    assert written(made) == [f"{tree}/sidekeep/start", f"{data}/{FOLDER}/{FILE}"]
    assert [step.target for step in made.steps if isinstance(step, CopyTree)] == [
        PurePosixPath(f"{tree}/sidekeep/program")
    ]
    assert manifest_of(made)["path"] == f"{tree}/sidekeep/start"
    (start,) = [step for step in made.steps if isinstance(step, WriteFile) and step.runnable]
    assert start.content.decode() == (
        f"#!/bin/sh\nSIDEKEEP_HOME='{tree}/sidekeep/store' exec '{tree}/sidekeep/program/sidekeep' \"$@\"\n"
    )


def test_a_program_that_needs_a_python_elsewhere_is_no_use_in_a_sandbox_and_that_is_said() -> None:
    made = plan.install(FakeMachine("linux"), Wish(("chrome-flatpak",)), program("linux"))
    assert made.steps == ()
    assert ".deb" in made.notes[0]


def test_every_browser_is_in_a_row_above() -> None:
    """But for channels of those that are."""
    rows: dict[Platform, set[str]] = {
        "linux": {*LINUX, *SANDBOXES, "chrome-canary"},
        "macos": {*MACOS, "edge-dev", "edge-canary"},
    }
    for platform, named in rows.items():
        known = {browser.name for browser in all_browsers() if browser.place(platform)}
        assert known == named


@pytest.mark.parametrize("platform", ["linux", "macos", "windows"])
def test_the_manifest_keeps_the_rules_of_every_browser(platform: Platform) -> None:
    made = plan.install(FakeMachine(platform), Wish(("chrome",)), program(platform), [OTHER])
    (step,) = [step for step in made.steps if isinstance(step, WriteFile)]
    step.content.decode("ascii")
    assert manifest_of(made) == {
        "name": "dev.sidekeep.host",
        "description": "Sidekeep keeps the side panel's conversations on this computer",
        "path": str(PROGRAMS[platform]),
        "type": "stdio",
        "allowed_origins": [
            "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/",
            f"chrome-extension://{OTHER}/",
        ],
        "sidekeep": {"folders": FOLDERS_TO_MAKE[platform]},
    }


def test_a_relative_program_is_refused() -> None:
    with pytest.raises(ValueError, match="not absolute"):
        manifest.render(PurePosixPath("bin/sidekeep"))


THERE: list[tuple[Platform, str, str]] = [
    ("linux", ".config/google-chrome", "chrome"),
    ("linux", ".config/BraveSoftware/Brave-Browser", "brave"),
    ("linux", ".var/app/org.chromium.Chromium", "chromium-flatpak"),
    ("linux", "snap/chromium/common", "chromium-snap"),
    ("macos", "Library/Application Support/Google/Chrome Beta", "chrome-beta"),
    ("macos", "Applications/Vivaldi.app", "vivaldi"),
    ("windows", "AppData/Local/Microsoft/Edge/User Data", "edge"),
]


@pytest.mark.parametrize(("platform", "folder", "name"), THERE)
def test_only_browsers_that_are_there_are_told_unless_named(platform: Platform, folder: str, name: str) -> None:
    machine = FakeMachine(platform, there=[folder])
    whole = Program(PROGRAMS[platform], PROGRAMS[platform].parent)
    assert plan.install(machine, Wish(), whole).steps == plan.install(machine, Wish((name,)), whole).steps
    assert len(plan.install(machine, Wish(), whole).left_out) > 5


@pytest.mark.parametrize(
    ("platform", "there", "commands"),
    [
        ("linux", [], ["google-chrome"]),
        ("macos", [PurePosixPath("/Applications/Google Chrome.app")], []),
        ("windows", [PureWindowsPath(r"C:\Program Files\Google\Chrome\Application")], []),
    ],
)
def test_a_browser_that_was_never_started_is_there_too(
    platform: Platform, there: list[PurePath], commands: list[str]
) -> None:
    made = plan.install(FakeMachine(platform, there=there, commands=commands), Wish(), program(platform))
    assert "Google Chrome" not in made.left_out
    assert "Chromium" in made.left_out
    assert made.steps


def test_no_browser_no_steps() -> None:
    assert plan.install(FakeMachine("linux"), Wish(), program("linux")).steps == ()


def test_an_unknown_browser_is_named_with_those_that_are_known() -> None:
    with pytest.raises(InstallFailed, match=r"no browser 'netscape'.*chromium"):
        plan.install(FakeMachine("linux"), Wish(("netscape",)), program("linux"))


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("chromium", ["/profile"]),
        ("vivaldi", ["/profile"]),
        ("brave", ["/profile", "/home/ania żak/.config/BraveSoftware/Brave-Browser"]),
        ("opera", ["/profile", "/home/ania żak/.config/google-chrome"]),
    ],
)
def test_a_user_data_directory_moves_the_place_and_some_browsers_look_in_their_own_all_the_same(
    name: str, places: list[str]
) -> None:
    wish = Wish((name,), PurePosixPath("/profile"))
    made = plan.install(FakeMachine("linux"), wish, program("linux"))
    assert written(made) == [f"{place}/{FOLDER}/{FILE}" for place in places]


def test_browsers_that_read_the_same_place_share_one_manifest() -> None:
    machine = FakeMachine("linux", there=[".config/google-chrome", ".config/opera"])
    (step,) = plan.install(machine, Wish(), program("linux")).steps
    assert isinstance(step, WriteFile)
    assert step.who == "Google Chrome, Opera"


@pytest.mark.parametrize("platform", ["linux", "macos", "windows"])
def test_a_second_time_there_is_nothing_to_do(platform: Platform) -> None:
    machine = FakeMachine(platform)
    wish = Wish(("chrome", "brave"))
    applied(machine, plan.install(machine, wish, program(platform)))
    again = plan.install(machine, wish, program(platform))
    assert again.steps == ()
    assert again.unchanged


@pytest.mark.parametrize("platform", ["linux", "macos", "windows"])
def test_uninstall_finds_all_that_was_written_also_after_the_program_has_moved(platform: Platform) -> None:
    machine = FakeMachine(platform)
    names = tuple(LINUX) if platform == "linux" else ("chrome", "edge", "brave", "arc")
    applied(machine, plan.install(machine, Wish(names), Program(PROGRAMS[platform].with_name("older"))))
    made = plan.uninstall(machine, Wish())
    assert {step.path for step in made.steps if isinstance(step, RemoveFile)} == set(machine.files)
    assert {step.key for step in made.steps if isinstance(step, DeleteKey)} == set(machine.registry)


def test_what_others_wrote_stays() -> None:
    machine = FakeMachine("linux")
    theirs = machine.config / "chromium" / FOLDER / FILE
    machine.files[theirs] = b'{"name": "dev.sidekeep.host", "path": "/opt/other"}'
    made = plan.uninstall(machine, Wish())
    assert made.steps == ()
    assert str(theirs) in made.notes[0]


def test_somebody_elses_manifest_is_kept_and_comes_back() -> None:
    machine = FakeMachine("linux")
    place = machine.config / "chromium" / FOLDER / FILE
    machine.files[place] = b'{"name": "dev.sidekeep.host", "path": "/opt/other"}'
    (step,) = plan.install(machine, Wish(("chromium",)), program("linux")).steps
    assert isinstance(step, WriteFile)
    assert step.keep
    kept = place.with_name(place.name + ".before-sidekeep")
    machine.files |= {place: step.content, kept: b"{}"}
    (gone,) = plan.uninstall(machine, Wish()).steps
    assert isinstance(gone, RemoveFile)
    assert gone.restores == kept


def test_a_browser_that_loses_the_host_with_another_one_is_named() -> None:
    machine = FakeMachine("linux", there=[".config/google-chrome", ".config/opera"])
    applied(machine, plan.install(machine, Wish(), program("linux")))
    made = plan.uninstall(machine, Wish(("opera",)))
    assert len(made.steps) == 1
    assert made.notes[0].startswith("Google Chrome reads ")
    assert plan.uninstall(machine, Wish()).notes == ()


def test_a_key_that_names_another_manifest_stays() -> None:
    machine = FakeMachine("windows")
    key = RegistryKey("HKCU", rf"Software\Google\Chrome\{FOLDER}\dev.sidekeep.host")
    machine.registry[key] = r"C:\elsewhere.json"
    assert plan.uninstall(machine, Wish()).steps == ()


def test_the_file_stays_while_another_browsers_key_names_it() -> None:
    machine = FakeMachine("windows")
    applied(machine, plan.install(machine, Wish(("edge", "chrome")), program("windows")))
    (step,) = plan.uninstall(machine, Wish(("edge",))).steps
    assert isinstance(step, DeleteKey)


@pytest.mark.parametrize(("file", "text"), list(golden.rendered()), ids=lambda value: getattr(value, "name", ""))
def test_the_golden_files_are_what_is_rendered(file: Path, text: str) -> None:
    """`python -m tests.install.golden` writes them anew."""
    assert file.read_text("utf-8") == text
