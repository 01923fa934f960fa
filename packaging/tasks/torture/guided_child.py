"""One target under atheris, in a process of its own, because libFuzzer ends it. Takes its name, then libFuzzer's arguments."""

import json
import random
import sys
from typing import cast

import atheris


def main() -> None:
    """Runs until libFuzzer has had enough, or finds something."""
    name, *arguments = sys.argv[1:]
    with atheris.instrument_imports(include=["sidekeep"], enable_loader_override=False):
        from tasks.torture import targets

        target = targets.TARGETS[name]
        for seed in targets.seeds(name):
            target.check(seed)  # much is imported when it is first needed, and what is imported later tells nothing
    mutator = {"custom_mutator": _changed} if target.as_json else {}
    atheris.Setup([sys.argv[0], *arguments], target.check, **mutator)
    atheris.Fuzz()


def _changed(data: bytes, max_size: int, seed: int) -> bytes:
    """Half of the time another value somewhere in the JSON, which bytes that change at random hardly ever give."""
    from tasks.torture import fuzz

    if seed % 2:
        return cast(bytes, atheris.Mutate(data, max_size))
    try:
        value = fuzz.changed(random.Random(seed), json.loads(data))
        made = json.dumps(value, ensure_ascii=bool(seed % 4)).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        made = bytes(max_size + 1)  # no JSON (any more)
    return made if len(made) <= max_size else cast(bytes, atheris.Mutate(data, max_size))


if __name__ == "__main__":
    main()
