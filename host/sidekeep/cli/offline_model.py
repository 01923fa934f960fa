"""`sidekeep offline-model`: the offline model's process, which the host starts for itself."""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """No options: what to serve comes on stdin, with the key."""


def run(_arguments: argparse.Namespace) -> int:
    """Serve until stdin ends."""
    from sidekeep.llm import offline_server

    return offline_server.main()
