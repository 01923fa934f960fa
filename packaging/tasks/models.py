"""Writes host/sidekeep/request/models.json, what is known of models by provider, from the list in a LiteLLM wheel.

By hand, when it has grown old: `pip download --no-deps litellm`, then
`PYTHONPATH=packaging python3 -m tasks.models WHEEL YYYY-MM-DD` with the day of the download.
"""

import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

from tasks.places import ROOT

TARGET = ROOT / "host" / "sidekeep" / "request" / "models.json"
_MEMBER = "litellm/model_prices_and_context_window_backup.json"

# LiteLLM's name of a provider -> the hosts it answers at, and the kinds that mean it wherever the server is.
# Aggregators that tell windows in their own list (OpenRouter, Fireworks, DeepInfra …) are left out.
PROVIDERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "openai": (("api.openai.com",), ("openai-responses",)),
    "anthropic": (("api.anthropic.com",), ("anthropic",)),
    "gemini": (("generativelanguage.googleapis.com",), ("gemini",)),
    "deepseek": (("api.deepseek.com",), ()),
    "mistral": (("api.mistral.ai",), ()),
    "xai": (("api.x.ai",), ()),
    "groq": (("api.groq.com",), ()),
    "cerebras": (("api.cerebras.ai",), ()),
    "cohere_chat": (("api.cohere.ai", "api.cohere.com"), ()),
    "moonshot": (("api.moonshot.ai", "api.moonshot.cn"), ()),
    "zai": (("api.z.ai", "open.bigmodel.cn"), ()),
    "dashscope": (("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"), ()),
    "minimax": (("api.minimax.io", "api.minimaxi.com"), ()),
    "together_ai": (("api.together.xyz", "api.together.ai"), ()),
    "perplexity": (("api.perplexity.ai",), ()),
}
# Of ours: what the offline model was trained with.
OFFLINE = {"hosts": [], "kinds": ["offline"], "models": {"smollm2-135m-instruct": {"window": 8192}}}

_PRICES = {
    "input": "input_cost_per_token",
    "cached": "cache_read_input_token_cost",
    "output": "output_cost_per_token",
}
_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


def registry(listed: dict[str, dict[str, Any]], version: str, as_of: str) -> dict[str, Any]:
    """The file's content. A model has what the list says: `window` and prices in USD per million tokens.

    `above`: from so many prompt tokens on, other prices count for the whole request.
    """
    return {
        "source": f"LiteLLM {version} (MIT), model_prices_and_context_window.json",
        "asOf": as_of,
        "currency": "USD",
        "providers": {"offline": OFFLINE, **{name: _provider(name, listed) for name in PROVIDERS}},
    }


def _provider(name: str, listed: dict[str, dict[str, Any]]) -> dict[str, Any]:
    hosts, kinds = PROVIDERS[name]
    models: dict[str, dict[str, Any]] = {}
    for key in sorted(listed):
        entry = listed[key]
        if entry.get("litellm_provider") == name and entry.get("mode") in ("chat", "responses") and ":" not in key:
            facts = _facts(entry)
            if facts:
                models[key.removeprefix(f"{name}/").removeprefix("cohere/").lower()] = facts
    return {"hosts": list(hosts), "kinds": list(kinds), "models": models}


def _facts(entry: dict[str, Any]) -> dict[str, Any]:
    window = entry.get("max_input_tokens") or entry.get("max_tokens")
    facts: dict[str, Any] = {"window": window} if isinstance(window, int) and window > 0 else {}
    facts |= _prices(entry, "")
    for key in entry:
        if (found := _ABOVE.fullmatch(key)) and (prices := _prices(entry, f"_above_{found[1]}k_tokens")):
            facts["above"] = {"tokens": int(found[1]) * 1000, **prices}
    return facts


def _prices(entry: dict[str, Any], suffix: str) -> dict[str, float]:
    """USD per million tokens; nothing where a price is not known, because a cost that counts half would be wrong."""
    found = {name: entry.get(key + suffix) for name, key in _PRICES.items()}
    if not found["input"] or not found["output"]:
        return {}
    return {name: round(price * 1_000_000, 6) for name, price in found.items() if isinstance(price, (int, float))}


def write(content: dict[str, Any]) -> str:
    """JSON with a line for each model, so that a change can be read."""
    head = {key: value for key, value in content.items() if key != "providers"}
    providers = []
    for name, provider in content["providers"].items():
        models = ",\n".join(
            f"    {json.dumps(model)}: {json.dumps(facts)}" for model, facts in provider["models"].items()
        )
        rest = json.dumps({"hosts": provider["hosts"], "kinds": provider["kinds"]})[:-1]
        providers.append(f'  {json.dumps(name)}: {rest}, "models": {{\n{models}\n  }}}}')
    return json.dumps(head)[:-1] + ',\n "providers": {\n' + ",\n".join(providers) + "\n}}\n"


def main(wheel: Path, as_of: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        listed = json.loads(archive.read(_MEMBER))
    TARGET.write_text(write(registry(listed, wheel.name.split("-")[1], as_of)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
