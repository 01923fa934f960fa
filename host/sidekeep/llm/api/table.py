"""PROVIDER.kind -> the API that it speaks. request/dialect/table.py has the same kinds; a test compares."""

from collections.abc import Mapping

from sidekeep.llm.api import anthropic, gemini, ollama, openai_chat, openai_responses
from sidekeep.llm.api.api import Api

APIS: Mapping[str, Api] = {
    "openai-chat": openai_chat.API,
    "openai-responses": openai_responses.API,
    "anthropic": anthropic.API,
    "gemini": gemini.API,
    "ollama": ollama.API,
    "offline": openai_chat.API,
}
