"""Telling a browser of the checkout's host, with the host's own installer: its room needs nothing but Python."""

from pathlib import Path

from sidekeep.install import plan
from sidekeep.install.apply import carry_out
from sidekeep.install.machine import ThisMachine
from sidekeep.install.manifest import FILE_NAME
from sidekeep.install.places import Wish
from sidekeep.install.sandbox import Program
from tasks.places import HOST_PROGRAM, data_home


def install(profile: Path, program: Path = HOST_PROGRAM) -> Path:
    """Register the host for a browser that is started with `--user-data-dir=profile`. Returns the manifest's file."""
    wish = Wish(user_data_dir=profile.absolute())
    carry_out(plan.install(ThisMachine(data_home()), wish, Program(program.absolute())))
    return profile / "NativeMessagingHosts" / FILE_NAME
