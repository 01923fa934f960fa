"""What a model is asked for a chat's title, and what of its answer is one. Pure; service/titling.py asks."""

import re

from sidekeep.domain.chat import given_name

INSTRUCTIONS = (
    "You name conversations. Answer with a title of two to six words in the conversation's language, and with nothing else: no "
    "quotation marks, no full stop, no comment."
)
# A model that thinks aloud first may need some of them; a title takes about ten.
ANSWER_TOKENS = 256
# Of the question and of the answer, each: what they are about is said early.
_PART_CHARACTERS = 2_000
_MOST_CHARACTERS = 80
_LABEL = re.compile(r"^(?:title|name)\s*:\s*", re.IGNORECASE)
_AROUND = " \t*_#`\"'“”„«»「」『』.。"


def request_text(question: str, answer: str) -> str:
    """The message that asks for a title of a conversation that has one question and one answer."""
    return (
        f"The question:\n{question[:_PART_CHARACTERS]}\n\nThe answer:\n{answer[:_PART_CHARACTERS]}\n\n"
        "Give this conversation a title."
    )


def title_of(answer: str) -> str:
    """The title in a model's answer; "" where it gave something else, such as a paragraph."""
    lines = [line for line in answer.splitlines() if line.strip()]
    if len(lines) != 1:
        return ""
    line = _LABEL.sub("", lines[0].strip(_AROUND)).strip(_AROUND)
    return given_name(line) if len(line) <= _MOST_CHARACTERS else ""
