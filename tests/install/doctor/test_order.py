"""The browser's own order: policies, the person's place, the machine's; the first manifest that is there counts."""

import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from tests.install.fake_machine import FakeMachine

from sidekeep.install import manifest
from sidekeep.install.browsers import Browser, Place, all_browsers
from sidekeep.install.doctor.browser import Patient, Way, follow
from sidekeep.install.doctor.lookup import lookups
from sidekeep.install.machine import RegistryKey, ThisMachine
from sidekeep.install.sandbox import Program

OWN = "hodbpabemnndpbbmcjdinhofnnepgklm"
Put = Callable[..., Path]


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    """A browser whose system-wide folders are the test's own."""
    place = Place("browser", system=str(tmp_path / "etc" / "hosts"), policies=str(tmp_path / "etc" / "policies"))
    return Browser("browser", "Browser", linux=place)


@pytest.fixture
def patient(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SIDEKEEP_HOME", str(tmp_path / "home"))
    return Patient(ThisMachine(), browser, None, OWN, Program(program(tmp_path, "mine")))


def program(folder: Path, name: str) -> Path:
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Writes a manifest: `user` or `system`, for a program of that name."""

    def write(level: str, name: str = "mine", *, data: bytes | None = None) -> Path:
        folder = (
            tmp_path / "config" / "browser" / "NativeMessagingHosts" if level == "user" else tmp_path / "etc" / "hosts"
        )
        folder.mkdir(parents=True)
        file = folder / manifest.FILE_NAME
        file.write_bytes(manifest.render(program(tmp_path, name)) if data is None else data)
        return file

    return write


def policy(folder: Path, **values: object) -> None:
    (folder / "etc" / "policies").mkdir(parents=True)
    (folder / "etc" / "policies" / "company.json").write_text(json.dumps(values), "utf-8")


def causes(way: Way) -> list[str]:
    return [finding.cause for finding in way.findings]


def test_the_persons_own_comes_before_the_machines(patient: Patient, put: Put, tmp_path: Path) -> None:
    put("user")
    put("system")
    way = follow(patient)
    assert (way.program, causes(way)) == (tmp_path / "mine", [])


def test_the_machines_is_found_where_there_is_no_other(patient: Patient, put: Put, tmp_path: Path) -> None:
    put("system")
    assert follow(patient).program == tmp_path / "mine"


def test_a_broken_one_of_the_persons_hides_a_good_one_of_the_machine(patient: Patient, put: Put) -> None:
    put("user", data=b"{")
    hidden = put("system")
    way = follow(patient)
    assert causes(way) == ["manifest_not_json"]
    assert str(hidden) in way.findings[0].message


def test_two_that_name_different_programs_are_told(patient: Patient, put: Put, tmp_path: Path) -> None:
    put("user", "mine")
    put("system", "theirs")
    (finding,) = follow(patient).findings
    assert (finding.cause, finding.severity) == ("manifest_shadowed", "warning")
    assert str(tmp_path / "theirs") in finding.message


def test_another_installations_program_is_told_and_left(patient: Patient, put: Put, tmp_path: Path) -> None:
    program(tmp_path, "mine")
    put("user", "theirs")
    (finding,) = follow(patient).findings
    assert (finding.cause, finding.severity, finding.repair) == ("other_program", "warning", None)


def test_a_policy_that_forbids_what_one_user_registered_is_named(patient: Patient, put: Put, tmp_path: Path) -> None:
    policy(tmp_path, NativeMessagingUserLevelHosts=False)
    put("user")
    way = follow(patient)
    assert causes(way) == ["policy_user_level"]
    assert "sidekeep install --system" in way.findings[0].message


def test_that_policy_lets_the_machines_through(patient: Patient, put: Put, tmp_path: Path) -> None:
    policy(tmp_path, NativeMessagingUserLevelHosts=False)
    put("user", "theirs")
    put("system", "mine")
    assert follow(patient).program == tmp_path / "mine"


@pytest.mark.parametrize(
    ("values", "blocked"),
    [
        ({"NativeMessagingBlocklist": ["*"]}, True),
        ({"NativeMessagingBlocklist": ["dev.sidekeep.host"]}, True),
        ({"NativeMessagingBlocklist": ["*"], "NativeMessagingAllowlist": ["dev.sidekeep.host"]}, False),
        ({"NativeMessagingBlocklist": ["com.example.other"]}, False),
        ({"NativeMessagingUserLevelHosts": True}, False),
    ],
    ids=str,
)
def test_a_list_of_forbidden_hosts(
    patient: Patient, put: Put, tmp_path: Path, values: dict[str, object], *, blocked: bool
) -> None:
    policy(tmp_path, **values)
    put("user")
    assert causes(follow(patient)) == (["policy_blocks"] if blocked else [])


def test_a_policy_file_that_is_broken_counts_for_nothing(patient: Patient, put: Put, tmp_path: Path) -> None:
    policy(tmp_path)
    (tmp_path / "etc" / "policies" / "company.json").write_text("{")
    put("user")
    assert causes(follow(patient)) == []


def of(name: str) -> Browser:
    return next(browser for browser in all_browsers() if browser.name == name)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("chromium", ["/home/ania żak/.config/chromium/NativeMessagingHosts", "/etc/chromium/native-messaging-hosts"]),
        (
            "edge",
            [
                "/home/ania żak/.config/microsoft-edge/NativeMessagingHosts",
                "/etc/opt/edge/native-messaging-hosts",
                "/etc/opt/chrome/native-messaging-hosts",
            ],
        ),
        ("chromium-snap", ["/home/ania żak/snap/chromium/common/chromium/NativeMessagingHosts"]),
    ],
)
def test_the_order_on_linux(name: str, order: list[str]) -> None:
    found = [lookup.file for lookup in lookups(FakeMachine("linux"), of(name))]
    assert found == [PurePosixPath(folder) / manifest.FILE_NAME for folder in order]


def test_the_order_of_edge_on_windows_is_its_own_three_keys_of_the_person_then_of_the_machine() -> None:
    found = [lookup.key for lookup in lookups(FakeMachine("windows"), of("edge"))]
    assert [(key.root, key.path.split(r"\NativeMessagingHosts")[0]) for key in found if key] == [
        (root, rf"Software\{name}")
        for root in ("HKCU", "HKLM")
        for name in (r"Microsoft\Edge", "Chromium", r"Google\Chrome")
    ]


def test_a_key_that_names_a_file_which_is_gone_stops_edge_though_chromes_key_is_good() -> None:
    machine = FakeMachine("windows")
    good = PureWindowsPath(r"C:\good.json")
    machine.files[good] = manifest.render(PureWindowsPath(r"C:\sidekeep.exe"))
    name = r"\NativeMessagingHosts\dev.sidekeep.host"
    machine.registry[RegistryKey("HKCU", rf"Software\Microsoft\Edge{name}")] = r"C:\gone.json"
    machine.registry[RegistryKey("HKCU", rf"Software\Google\Chrome{name}")] = str(good)
    way = follow(Patient(machine, of("edge"), None, OWN, None))
    assert causes(way) == ["manifest_missing"]
    assert r"C:\gone.json" in way.findings[0].message
