"""build.py's command line: what each task is called, what it takes, how its failure is told."""

import argparse
import errno
import json
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from tasks.say import TaskError, say

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one task. Returns the exit status: 0, or 1 after one sentence on stderr."""
    arguments = parse(argv)
    signal.signal(signal.SIGTERM, _leave)  # so that a browser and a temporary profile are cleaned up
    try:
        return TASKS[arguments.task](arguments) or 0
    except TaskError as exc:
        return _fail(str(exc), arguments)
    except OSError as exc:
        return _fail(_explain(exc), arguments)
    except KeyboardInterrupt:
        say("Ended.")
        return 130


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """A command line as its task takes it; what follows `test` is pytest's, word for word."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["test"] and words[1:] not in (["-h"], ["--help"]):
        return argparse.Namespace(task="test", arguments=[word for word in words[1:] if word != "--"])
    return parser().parse_args(words)


def parser() -> argparse.ArgumentParser:
    """The command line; tests read it to check what README.md says."""
    top = argparse.ArgumentParser(
        prog="build.py",
        description="Sidekeep's tasks. Each does its own set-up, can be run again, and goes on where it stopped.",
        epilog="The store is $SIDEKEEP_HOME if set, else .sidekeep-dev/ in the checkout.",
    )
    tasks = top.add_subparsers(dest="task", required=True, metavar="TASK")
    _add_run(tasks)
    test = _add(tasks, "test", "do the set-up that tests need and run all of them, browser tests included")
    test.add_argument("arguments", nargs="*", metavar="ARG", help="passed on to pytest, as in: -k panel")
    _add(tasks, "setup", "make .venv, fill extension/vendor/ and fetch the offline model's weights (98 MB)")
    _add(tasks, "extension", "fill extension/vendor/ from npm's lock and build dist/extension/")
    _add(tasks, "lint", "run ruff, mypy, import-linter and tsc")
    clean = _add(tasks, "clean", "remove what the tasks made; chats are kept")
    clean.add_argument("--store", action="store_true", help="remove .sidekeep-dev/ too: its chats and the weights")
    _add(tasks, "notices", "write THIRD_PARTY_NOTICES.md anew from the locked packages")
    _add_bench(tasks)
    _add_torture(tasks)
    _add_simulate(tasks)
    package = _add(
        tasks, "package", "build what people install into dist/package/: .deb, archive, wheel, extension zip"
    )
    package.add_argument("--only-host", action="store_true", help="just the frozen host, into build/package/sidekeep/")
    package.add_argument("--wire-host", action="store_true", help="with the wire cases' methods beside it, for tests")
    return top


def _add_run(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    run = _add(tasks, "run", "set up, then start a browser with the extension loaded and the panel open on a page")
    dev = _add(tasks, "dev", "the same, and take over what is edited: extension, host and panel begin anew with it")
    for task in (run, dev):
        task.add_argument("--browser", metavar="PATH", help="the browser's program (default: the first one found)")
        task.add_argument(
            "--profile", metavar="DIR", type=Path, help="keep the browser's profile here (default: a fresh one)"
        )
        task.add_argument("--page", metavar="FILE_OR_URL", help="the page to open (default: a short article)")
    run.add_argument("--ask", metavar="TEXT", help="attach the page, ask this, print the answer as it streams")
    run.add_argument(
        "--headless", action="store_true", help="without a screen: ask and end (automatic without a display)"
    )
    run.add_argument("--json", action="store_true", help="with --ask: end stdout with one line of JSON")


def _add_bench(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    from tasks.bench import NAMES

    bench = _add(tasks, "bench", "measure, each figure beside its peer in the same run")
    bench.add_argument("--only", metavar="NAME", choices=NAMES, help=f"one of: {', '.join(NAMES)}")
    bench.add_argument("--runs", metavar="N", type=int, default=25, help="runs of each (default 25, at least 15)")
    bench.add_argument(
        "--json", metavar="FILE", type=Path, help="take the figures into this file too, each bench in its place"
    )
    bench.add_argument(
        "--peers",
        action="store_true",
        help="install LangChain and LiteLLM first (300 MB, into build/): build is measured beside them",
    )
    bench.add_argument(
        "--readme",
        action="store_true",
        help="measure nothing: draw docs/bench/ and the README's table from figures.json there",
    )


def _add_torture(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    from tasks.torture import NAMES

    torture = _add(
        tasks, "torture", "hurt the host: kill it, fill its disk, turn its clock, lie to it; see what it loses"
    )
    torture.add_argument("--only", metavar="NAME", choices=NAMES, help=f"one of: {', '.join(NAMES)}")
    torture.add_argument(
        "--minutes", metavar="N", type=float, help="end after about N minutes (default: when all is done)"
    )
    torture.add_argument("--seed", metavar="N", type=int, help="have the same chance again (default: a new one)")
    torture.add_argument("--json", metavar="FILE", type=Path, help="write what was done and found here too")


def _add_simulate(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    simulate = _add(tasks, "simulate", "build stores of up to ten years of heavy use, measure them, say what grows")
    simulate.add_argument(
        "--share",
        metavar="N",
        type=float,
        action="append",
        help="how much of it, several times (default: 0.01 and 0.1)",
    )
    simulate.add_argument("--messages-only", action="store_true", help="without pictures, which are most of it")
    simulate.add_argument(
        "--folder", metavar="DIR", type=Path, help="where there is room (default: the temporary folder)"
    )
    simulate.add_argument("--runs", metavar="N", type=int, default=15, help="runs of each request (default 15)")
    simulate.add_argument("--json", metavar="FILE", type=Path, help="write the figures here too")


def _add(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, what: str) -> argparse.ArgumentParser:
    return tasks.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")


def _run(arguments: argparse.Namespace) -> None:
    from tasks.run import Wish, run

    wish = Wish(
        browser=arguments.browser,
        profile=arguments.profile,
        page=arguments.page,
        ask=arguments.ask,
        headless=arguments.headless,
        as_json=arguments.json,
    )
    run(wish)


def _dev(arguments: argparse.Namespace) -> None:
    from tasks.dev import dev
    from tasks.run import Wish

    dev(Wish(browser=arguments.browser, profile=arguments.profile, page=arguments.page))


def _test(arguments: argparse.Namespace) -> int:
    from tasks.suite import test

    return test(arguments.arguments)


def _setup(_: argparse.Namespace) -> None:
    from tasks.setup import setup

    setup()


def _extension(_: argparse.Namespace) -> None:
    from tasks.dist import build

    build()


def _lint(_: argparse.Namespace) -> None:
    from tasks.checks import lint

    lint()


def _clean(arguments: argparse.Namespace) -> None:
    from tasks.clean import clean

    clean(store=arguments.store)


def _notices(_: argparse.Namespace) -> None:
    from tasks.notices import write

    write()


def _bench(arguments: argparse.Namespace) -> None:
    from tasks.bench import bench, tell

    if arguments.readme:
        tell()
        return
    bench(arguments.only, runs=max(15, arguments.runs), target=arguments.json, with_peers=arguments.peers)


def _simulate(arguments: argparse.Namespace) -> None:
    from tasks.simulate import simulate

    simulate(
        arguments.share or (0.01, 0.1),
        pictures=not arguments.messages_only,
        folder=arguments.folder,
        runs=arguments.runs,
        target=arguments.json,
    )


def _torture(arguments: argparse.Namespace) -> int:
    from tasks.torture import torture

    return torture(arguments.only, minutes=arguments.minutes, seed=arguments.seed, target=arguments.json)


def _package(arguments: argparse.Namespace) -> None:
    from tasks.package import package

    package(only_host=arguments.only_host, wire_host=arguments.wire_host)


TASKS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "run": _run,
    "dev": _dev,
    "test": _test,
    "setup": _setup,
    "extension": _extension,
    "lint": _lint,
    "clean": _clean,
    "notices": _notices,
    "bench": _bench,
    "torture": _torture,
    "simulate": _simulate,
    "package": _package,
}


def _fail(sentence: str, arguments: argparse.Namespace) -> int:
    say(f"build.py: {sentence}")
    if arguments.task == "run" and arguments.json:
        print(json.dumps({"ok": False, "error": sentence}, ensure_ascii=False), flush=True)
    return 1


def _explain(error: OSError) -> str:
    """One sentence for what the operating system refused."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in DISK_FULL:
        return f"The disk is full{where}: free some space and run this again."
    return f"{error.strerror or error}{where}: mend that and run this again."


def _leave(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(143)
