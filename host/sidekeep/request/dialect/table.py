"""PROVIDER.kind -> who writes its requests. llm/api/table.py has the same kinds; a test compares."""

from collections.abc import Callable, Mapping

from sidekeep.request.build import Request
from sidekeep.request.dialect import anthropic, gemini, ollama, openai_chat, openai_responses
from sidekeep.request.dialect.pictures import DataUrls

Writer = Callable[[Request, DataUrls], bytes]

WRITERS: Mapping[str, Writer] = {
    "openai-chat": openai_chat.write,
    "openai-responses": openai_responses.write,
    "anthropic": anthropic.write,
    "gemini": gemini.write,
    "ollama": ollama.write,
    "offline": openai_chat.write,
}
