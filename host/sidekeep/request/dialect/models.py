"""What a model's name says about the parameters that it takes. Servers in between (OpenRouter, LiteLLM) put a path before it."""

import re

_REASONING = re.compile(r"(?:^|/)(?:o\d|gpt-[5-9]|codex)")
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?")
_MISTRALS_OWN = re.compile(r"(?:mi[sx]tral|ministral|magistral|devstral|codestral|pixtral)-[\w.-]*(?:latest|\d{4})")
_STRICT = re.compile(
    r"mi[sx]tral|ministral|magistral|devstral|codestral|gemma|llama-?2|zephyr|vicuna|sonar|deepseek-reasoner",
    re.IGNORECASE,
)


def openai_reasons(model: str) -> bool:
    """OpenAI's o-series, GPT-5 and later: `max_completion_tokens`, no temperature, instructions from the developer.

    Their `-chat` models are not among them, nor is gpt-oss. Source: OpenAI's guide to reasoning models.
    """
    return bool(_REASONING.search(model)) and "-chat" not in model


def claude_takes_temperature(model: str) -> bool:
    """Claude before 4.7 does; later ones answer 400. Other models that speak the same API do."""
    found = _CLAUDE.search(model)
    return (int(found[1]), int(found[2] or 0)) < (4, 7) if found else "claude" not in model


def alternates(model: str) -> bool:
    """Model families whose own chat template refuses two messages of one side in a row (vLLM, llama.cpp and LM Studio pass
    the refusal on), and Perplexity's and DeepSeek's that do. Joined messages harm nobody, so the family's name is enough.
    """
    return bool(_STRICT.search(model))


def counts_unasked(model: str) -> bool:
    """Mistral's own API tells usage by itself and answers 422 to being asked (openai/openai-agents-python#442).

    It is known by how it names its models: `-latest`, or year and month.
    """
    return bool(_MISTRALS_OWN.fullmatch(model))
