"""Machines that are set up oddly: the host works, or says why; so do the commands that install and examine it."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.support.host import PROGRAM, RunningHost, WireError
from tests.support.turns import stored_messages

ROOT_ONLY = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs root's rights to set it up")


def run(*arguments: str, environment: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """A command with exactly that environment."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )


def without(*names: str, **more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in names} | more


def without_prefix(names: Sequence[str]) -> tuple[str, ...]:
    """A program that starts the host without some variables."""
    return ("env", *(f"--unset={name}" for name in names), *PROGRAM)


def test_home_is_not_set(tmp_path: Path) -> None:
    """A service manager, or a browser started by one. The system knows the home all the same."""
    program = without_prefix(["HOME", "SIDEKEEP_HOME"])
    with RunningHost(tmp_path / "unused", program=program, environment={"XDG_DATA_HOME": str(tmp_path)}) as host:
        host.hello()
        assert host.end().status == 0
    assert (tmp_path / "sidekeep" / "sidekeep.sqlite3").is_file()
    environment = without("HOME", SIDEKEEP_HOME=str(tmp_path / "home"))
    result = run("install", "--user-data-dir", str(tmp_path / "profile"), environment=environment)
    assert result.returncode == 0, result.stderr
    assert run("doctor", "--user-data-dir", str(tmp_path / "profile"), environment=environment).returncode == 0


@pytest.mark.parametrize("locale", ["C", "POSIX", "xx_YY.nonsense"])
def test_a_locale_without_letters(tmp_path: Path, locale: str) -> None:
    home = tmp_path / "Ania Żak" / "data home"
    environment = {"LC_ALL": locale, "LANG": locale}
    with RunningHost(home, environment=environment) as host:
        host.hello()
        host.request("history.append", message={"role": "user", "content": "Zażółć gęślą jaźń"})
        assert [message["content"] for message in stored_messages(host)] == ["Zażółć gęślą jaźń"]
    profile = str(tmp_path / "Ania Żak" / "profile")
    for command in ("install", "doctor", "smoke", "uninstall"):
        result = run(command, "--user-data-dir", profile, environment=without(**environment, SIDEKEEP_HOME=str(home)))
        assert result.returncode == 0, (command, result.stdout, result.stderr)


def test_a_program_that_is_a_link_in_a_folder_with_a_space_and_a_letter(tmp_path: Path) -> None:
    link = tmp_path / "Ania Żak" / "bin" / "sidekeep"
    link.parent.mkdir(parents=True)
    link.symlink_to(PROGRAM[0] if len(PROGRAM) == 1 else Path(sys.executable).with_name("sidekeep"))
    with RunningHost(tmp_path / "home", program=(str(link),)) as host:
        assert host.hello()["server"] == "sidekeep"
        assert host.end().status == 0
    result = run("smoke", "--program", str(link), environment=without(SIDEKEEP_HOME=str(tmp_path / "home")))
    assert result.returncode == 0, result.stdout


def test_a_closed_stderr(tmp_path: Path) -> None:
    """The next file that is opened would get its number, and what is printed there would land in the store."""
    program = ("sh", "-c", 'exec "$0" "$@" 2>&-', *PROGRAM)
    with RunningHost(tmp_path / "home", program=program) as host:
        host.hello()
        host.send(b"no json, so that the log is opened")
        host.request("history.append", message={"role": "user", "content": "kept"})
        assert [message["content"] for message in stored_messages(host)] == ["kept"]
        assert host.end().status == 0


def test_no_key_store(tmp_path: Path) -> None:
    """No session bus, no desktop: keys go into a file that its owner alone can read."""
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "XDG_RUNTIME_DIR": str(tmp_path / "none")}
    home = tmp_path / "home"
    with RunningHost(home, environment=environment) as host:
        host.hello()
        provider = {"kind": "openai-chat", "baseUrl": "http://127.0.0.1:9/v1", "model": "m"}
        host.request("storage.set", items={"providers": {"test": provider}})
        host.request("secrets.set", provider="test", apiKey="sk-of-the-test")
        assert host.request("storage.getAll")["items"]["providers"]["test"]["keySet"] is True
    assert (home / "secrets.json").stat().st_mode & 0o777 == 0o600
    result = run("doctor", "--browser", "vivaldi", environment=without(**environment, SIDEKEEP_HOME=str(home)))
    assert "this system has no key store" in result.stdout


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 30 MB for the data home: less than what the doctor calls little."""
    folder = tmp_path / "disk"
    folder.mkdir()
    answer = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=30m", "tmpfs", folder], capture_output=True, check=False
    )
    if answer.returncode != 0:
        pytest.skip("this machine lets nobody mount anything")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@ROOT_ONLY
def test_a_full_disk_is_named_by_the_doctor(disk: Path) -> None:
    with RunningHost(disk / "home") as host:
        host.hello()
    (disk / "filler").write_bytes(bytes(20_000_000))
    result = run("doctor", "--browser", "vivaldi", environment=without(SIDEKEEP_HOME=str(disk / "home")))
    assert "The disk: Only " in result.stdout
    assert result.returncode == 1


@ROOT_ONLY
def test_a_read_only_data_home_is_named_by_the_host_and_by_the_doctor(disk: Path, tmp_path: Path) -> None:
    home = disk / "home"
    with RunningHost(home) as host:
        host.hello()
    environment = without(SIDEKEEP_HOME=str(home))
    assert run("install", "--user-data-dir", str(tmp_path / "profile"), environment=environment).returncode == 0
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    with RunningHost(home) as host:
        with pytest.raises(WireError) as refused:
            host.hello()
        assert "read-only" in refused.value.message.lower()
    result = run("doctor", "--user-data-dir", str(tmp_path / "profile"), environment=environment)
    assert result.returncode == 1
    assert f"{home} cannot be written to (Read-only file system)" in result.stdout
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
