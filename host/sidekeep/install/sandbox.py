"""Browsers that see only a folder of their own (Flatpak, Snap): a copy of the program and a store go into it."""

import shlex
from pathlib import PurePath
from typing import NamedTuple

COPY = "program"
START = "start"
STORE = "store"


class Program(NamedTuple):
    """The program a browser is to start, and the folder it is whole in; None for one that needs a Python environment."""

    path: PurePath
    folder: PurePath | None = None


def script(tree: PurePath, program: Program) -> bytes:
    """What the browser starts in its sandbox, where the usual data home cannot be reached or is another one at each update."""
    store, copied = shlex.quote(str(tree / STORE)), shlex.quote(str(tree / COPY / program.path.name))
    return f'#!/bin/sh\nSIDEKEEP_HOME={store} exec {copied} "$@"\n'.encode()


def explanation(title: str, tree: PurePath) -> str:
    """What a person has to know of such an installation."""
    return f"{title} reaches nothing outside its own folder, so its chats are kept apart from other browsers', in {tree / STORE}."


def needs_folder(title: str) -> str:
    """Why a sandboxed browser cannot be served by this kind of installation."""
    return (
        f"{title} cannot start a program outside its own folder, and this installation needs a Python that lies elsewhere:"
        " install Sidekeep from its .deb or .tar.gz, which can be copied there."
    )
