"""All the set-up, step by step; each step is quick when it was done before."""

from tasks import vendor, venv, weights
from tasks.say import say


def setup() -> None:
    """Virtual environment, JavaScript modules, weights. Raises TaskError."""
    say("Setting up:")
    venv.ensure()
    vendor.ensure()
    weights.ensure()


def setup_tests() -> None:
    """The set-up, and npm's tools, which the vendored files alone do not need."""
    setup()
    vendor.ensure_node_modules()
