"""`sidekeep install`: let browsers find this host, and say which extensions may start it."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from sidekeep import paths
from sidekeep.cli import plans
from sidekeep.domain.scope import BUILT_IN_EXTENSION_IDS, is_extension_id
from sidekeep.errors import InstallFailed
from sidekeep.install import installation, manifest, plan, trust
from sidekeep.install.apply import carry_out
from sidekeep.install.machine import ThisMachine
from sidekeep.install.registered import Registration, registrations
from sidekeep.settings import edit


def configure(parser: argparse.ArgumentParser) -> None:
    """Add where to, whom to let in, and how to look first."""
    plans.configure(parser)
    parser.add_argument(
        "--allow-extension", metavar="ID", action="append", default=[], help="let another extension use the host too"
    )
    parser.add_argument(
        "--disallow-extension", metavar="ID", action="append", default=[], help="no longer let it; what it kept stays"
    )
    parser.add_argument("--list", action="store_true", help="say where the host is registered and who may start it")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0 where browsers find the host, 1 where there is no browser, or nothing was done."""
    if arguments.list:
        return _list(as_json=arguments.json)
    machine = ThisMachine()
    wish = plans.wish(arguments)
    program = installation.this_program()
    extra = _extra(arguments)
    made = plan.install(machine, wish, program, extra)
    if not made.steps and not made.unchanged:
        raise InstallFailed(_nothing(made))
    made = plan.with_file(machine, made, _settings(extra))
    if wish.system and (part := trust.changeable(Path(program.path))) is not None:
        made = replace(made, notes=(*made.notes, _not_the_administrators(program.path, part)))
    if not arguments.dry_run:
        carry_out(made)
    start = plans.Start(str(program.path), manifest.allowed(extra))
    plans.tell(made, start, dry_run=arguments.dry_run, as_json=arguments.json)
    return 0


def _extra(arguments: argparse.Namespace) -> list[str]:
    """The extensions beside Sidekeep's own that are to be let in. Raises SettingsInvalid."""
    _check(arguments.allow_extension)
    wanted = dict.fromkeys([*_listed(), *arguments.allow_extension])
    return [found for found in wanted if found not in (*arguments.disallow_extension, *BUILT_IN_EXTENSION_IDS)]


def _settings(extra: Sequence[str]) -> plan.WriteFile:
    """The host has a list of its own in settings.toml, which counts whatever the manifest says."""
    file = paths.settings_file(paths.data_home())
    content = edit.with_extensions(file, extra)
    # The file may be a link to where a person keeps such files.
    return plan.WriteFile(file.resolve(), content, "other authors' extensions")


def _not_the_administrators(program: PurePath, part: Path) -> str:
    return (
        f"Every user's browser will start {program}, and others than the administrator can change {part}. Where that matters, "
        "install the program where only root can write, as the .deb does, or leave --system out."
    )


def _listed() -> tuple[str, ...]:
    return edit.allowed_extensions(paths.settings_file(paths.data_home()))


def _check(ids: Sequence[str]) -> None:
    for extension_id in ids:
        if not is_extension_id(extension_id):
            raise InstallFailed(
                f"{extension_id!r} is no extension id: it has 32 letters from a to p, as chrome://extensions shows it."
            )


def _nothing(made: plan.Plan) -> str:
    if made.notes:
        return " ".join(made.notes)
    return (
        f"No browser was found (looked for: {', '.join(made.left_out)}). Name one with --browser, or its folder with"
        " --user-data-dir."
    )


def _list(*, as_json: bool) -> int:
    found = registrations(ThisMachine())
    listed = _listed()
    if as_json:
        shown = [_as_json(registration) for registration in found]
        print(json.dumps({"registrations": shown, "allowed_extensions": listed}))
        return 0
    for registration in found:
        print(f"{registration.title}\n  {registration.manifest}\n  starts {registration.program or 'nothing readable'}")
        for extension_id in registration.allowed:
            print(f"  lets in {extension_id}  ({_who(extension_id, listed)})")
    if not found:
        print("No browser is told of this host yet. To do so: sidekeep install")
    return 0


def _as_json(registration: Registration) -> dict[str, object]:
    return {
        "browsers": registration.title,
        "manifest": str(registration.manifest),
        "system": registration.system,
        "ours": registration.ours,
        "program": registration.program,
        "allowed": list(registration.allowed),
    }


def _who(extension_id: str, listed: Sequence[str]) -> str:
    if extension_id in BUILT_IN_EXTENSION_IDS:
        return "Sidekeep"
    return "in settings.toml" if extension_id in listed else "the host turns it away: it is not in settings.toml"
