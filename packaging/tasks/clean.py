"""`clean`: remove what the tasks made. The store in .sidekeep-dev/ is a person's data and stays unless asked for."""

import shutil

from tasks.places import BUILD, DEV_HOME, DIST, NODE_MODULES, ROOT, VENDOR, VENV
from tasks.say import say, step

CACHES = (".pytest_cache", ".mypy_cache", ".ruff_cache", ".import_linter_cache", ".hypothesis")


def clean(*, store: bool) -> None:
    """Remove the environment, npm's modules, the vendored files, builds and caches; with `store` the store too."""
    say("Removing:")
    made = [VENV, NODE_MODULES, VENDOR, DIST, BUILD, *(ROOT / cache for cache in CACHES)]
    for folder in [*made, DEV_HOME] if store else made:
        if folder.exists():
            shutil.rmtree(folder)
            step(str(folder.relative_to(ROOT)), "removed")
    if not store and DEV_HOME.exists():
        step(str(DEV_HOME.relative_to(ROOT)), "kept: your chats and the model's weights (clean --store removes them)")
