"""What LangChain and LiteLLM take for the chats of `build`: prints {name: [samples in ms]}. Usage: build_peers.py RUNS FOLDER.

Runs in the peers' own environment. Both are given the chat parsed and with words in the pictures' places: with the pictures in it
they count base64 as text, or decode every picture for its size. LiteLLM's trim_messages, which counts everything anew for every
message that it drops, takes seconds for 300 messages and is not measured.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch its list of models

import litellm
from langchain_core.messages import convert_to_messages, trim_messages
from langchain_core.messages.utils import count_tokens_approximately

MODEL = "gpt-4o"
TARGET_TOKENS = 32_000

Messages = list[dict[str, Any]]


def main(runs: int, folder: Path) -> None:
    samples = {}
    for count in (300, 2000):
        messages: Messages = json.loads((folder / f"{count}-labels.json").read_bytes())
        works = {"LangChain, trim_messages": _langchain, "LiteLLM, token_counter": _litellm}
        for name, work in works.items():
            samples[f"{count:,}: {name}"] = [_ms(work, messages) for _ in range(runs + 1)][1:]
    print(json.dumps(samples))


def _langchain(messages: Messages) -> object:
    return trim_messages(
        convert_to_messages(messages),
        max_tokens=TARGET_TOKENS,
        token_counter=count_tokens_approximately,
        strategy="last",
        start_on="human",
    )


def _litellm(messages: Messages) -> object:
    return litellm.token_counter(model=MODEL, messages=messages)


def _ms(work: Callable[[Messages], object], messages: Messages) -> float:
    started = time.perf_counter()
    work(messages)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
