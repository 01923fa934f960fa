"""hatchling's hook: the extension that `build.py package` built goes into the wheel, where `sidekeep extension` finds it."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExtensionHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own configuration class, which nothing here uses
    """An editable install needs no copy: there the checkout's own is used."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is made; `version` is "standard" or "editable"."""
        built = Path(self.root) / "build" / "package" / "extension"
        if version == "standard" and built.is_dir():
            build_data["force_include"][str(built)] = "sidekeep/extension"
