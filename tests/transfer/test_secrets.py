"""Keys, tokens and passwords are found in what is read and written, told by their place, and nothing else is taken for one."""

import io
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.transfer.outline import survey
from sidekeep.transfer.secret_names import Kind, is_secret, kind_of, owner_of
from sidekeep.transfer.secret_values import REMOVED, json_may_hold, without_keys
from sidekeep.transfer.secrets import without_secrets, without_secrets_beside

# What is looked for afterwards. Whatever stands around it, no piece of it may be left.
NEEDLE = "Zq7Rk2Vw9"
PLAIN = f"EXAMPLE-{NEEDLE}-x1"
LONG = f"{NEEDLE}Ab3{NEEDLE}Cd5{NEEDLE}"

SECRET_NAMES = [
    "apiKey", "api_key", "api-key", "APIKey", "apikey", "API_KEY", "OPENAI_API_KEY", "claudeApiKey", "x-api-key",
    "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "openaiKey", "gemini_key", "secret", "clientSecret", "client_secret",
    "secretKey", "secret_key", "accessKey", "aws_secret_access_key", "privateKey", "accessToken", "refresh_token",
    "kimiMoonShotRefreshToken", "id_token", "session_token", "bearerToken", "authToken", "token", "githubToken", "HF_TOKEN",
    "bot_token", "GITHUB_PERSONAL_ACCESS_TOKEN", "password", "dbPassword", "passwd", "passphrase", "authorization",
    "Authorization", "proxyAuthorization", "bearer", "cookie", "Cookie", "set-cookie", "credentials", "credential",
    "apiKeys", "OPENAI_API_KEYS", "cookies", "jwt", "apiKey2",
]  # fmt: skip
HARMLESS_NAMES = [
    "max_tokens", "maxTokens", "token_count", "tokenCount", "tokenizer", "tokens", "keyboard", "monkey", "primary_key",
    "primaryKey", "foreign_key", "sort_key", "public_key", "key", "keys", "eos_token", "bos_token", "pad_token",
    "next_page_token", "pageToken", "prompt_tokens", "tokensBefore", "secretary", "passwordless", "author",
    "authorizationUrl", "hotkey", "keyPoints", "tokenise", "cookieConsent", "max_completion_tokens", "promptTokens",
    "model", "id", "parentId", "sessionId", "bypass", "compass",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_member_of_such_a_name_is_taken_out(name: str) -> None:
    assert without_secrets({"a": [{name: PLAIN, "model": "m"}]}) == {"a": [{"model": "m"}]}


@pytest.mark.parametrize("name", HARMLESS_NAMES)
def test_a_member_of_such_a_name_stays(name: str) -> None:
    record = {"a": [{name: value} for value in (PLAIN, "word", 5, ["x"], {"y": "z"}, "")]}
    assert without_secrets(record) is record
    assert survey(io.BytesIO(orjson.dumps(record))).keys == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("token", "Hello"),
        ("token", " the"),
        ("token", "international"),
        ("cookie", "chocolate"),
        ("credentials", "include"),
        ("credentials", "same-origin"),
        ("authorization", "none"),
        ("apiKey", ""),
        ("password", "  "),
        ("apiKey", "null"),
    ],
)
def test_a_value_that_is_no_secret_stays(name: str, value: str) -> None:
    assert not is_secret(name, value)


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("claudeApiKey", "claude"),
        ("apiKey", ""),
        ("OPENAI_API_KEY", "OPENAI"),
        ("openaiKey", "openai"),
        ("hf-token", "hf"),
        ("x", ""),
    ],
)
def test_a_name_tells_whose_key_it_is(name: str, owner: str) -> None:
    assert owner_of(name) == owner


KEYS = {
    "openai": f"sk-proj-{LONG}",
    "anthropic": f"sk-ant-api03-{LONG}",
    "openrouter": f"sk-or-v1-{LONG}",
    "short": f"sk-{NEEDLE}{NEEDLE}",
    "google": f"AIza{LONG}XX",
    "groq": f"gsk_{LONG}",
    "xai": f"xai-{LONG}",
    "github": f"ghp_{LONG}",
    "github, fine-grained": f"github_pat_{LONG}",
    "hugging face": f"hf_{LONG}",
    "aws": f"AKIA{NEEDLE.upper()}ABCDE23",
    "slack": f"xoxb-{LONG}",
    "stripe": f"sk_live_{LONG}",
    "web token": f"eyJhbGciOiJI.eyJ{LONG}.{LONG}",
    "bearer": f"Bearer {PLAIN}",
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{LONG}\n-----END RSA PRIVATE KEY-----",
}
AROUND = ["{}", "use {} here", "({})", "key={}", "'{}'", "a: {}, b", "\n{}\n", "[{}]"]


def _is_left(value: Any) -> bool:
    return NEEDLE.lower() in orjson.dumps(value).decode().lower()


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("around", AROUND)
def test_a_key_is_known_by_its_value_under_a_harmless_name(key: str, around: str) -> None:
    record = {"setting": [{"note": around.format(key)}], "list": [around.format(key)], "n": 1}
    left = without_secrets(record)
    assert not _is_left(left)
    assert left["n"] == 1
    places = [each.where for each in survey(io.BytesIO(orjson.dumps(record))).keys]
    assert places == ["setting[0].note", "list[0]"]


IN_TEXTS = [
    f"Authorization: Basic {PLAIN}",
    f"Accept: a/b\nX-Api-Key: {PLAIN}\nHost: x",
    f"Authorization: Bearer {PLAIN}",
    f"Cookie: a=b; sid={PLAIN}",
    f"curl -H 'x-api-key: {PLAIN}' https://x.example",
    f"https://x.example/v1?alt=sse&key={PLAIN}",
    f"https://x.example/v1?api_key={PLAIN}&x=1",
    f"https://x.example/v1#access_token={PLAIN}",
    f"https://me:{PLAIN}@x.example/v1",
    f"OPENAI_API_KEY={PLAIN}",
    f"PATH=/bin\nexport GITHUB_TOKEN='{PLAIN}'",
    f"server --api-key={PLAIN} --port 1",
    f"server --api-key {PLAIN}",
    orjson.dumps({"apiKey": PLAIN, "n": 1}).decode(),
    orjson.dumps([{"key": "Authorization", "value": PLAIN}]).decode(),
    orjson.dumps({"inner": orjson.dumps({"deep": orjson.dumps({"token": PLAIN}).decode()}).decode()}).decode(),
    f'{{"apiKey":"{PLAIN}","cut',
    f'{{\\"apiKey\\":\\"{PLAIN}\\"',
    f'{{"\\u0061piKey":"{PLAIN}","odd":"\\ud83d"}}',
    f'{{"step":1}}\n{{"apiKey":"{PLAIN}"}}\nno json',
    "[" * 5000 + f'{{"apiKey":"{PLAIN}"}}' + "]" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("text", IN_TEXTS, ids=range(len(IN_TEXTS)))
def test_a_key_inside_a_text_is_replaced_and_told(text: str) -> None:
    record = {"settings": {"raw": text}}
    assert not _is_left(without_secrets(record))
    assert [each.where.partition(".")[0] for each in survey(io.BytesIO(orjson.dumps(record))).keys] == ["settings"]


def test_what_stands_around_a_key_stays() -> None:
    assert (
        without_keys(f"https://x.example/v1?alt=sse&key={PLAIN}#top")
        == f"https://x.example/v1?alt=sse&key={REMOVED}#top"
    )
    assert without_keys(f"A: b\nX-Api-Key: {PLAIN}\nC: d") == f"A: b\nX-Api-Key: {REMOVED}\nC: d"
    text = orjson.dumps({"apiKey": PLAIN, "model": "m", "n": 2.5}).decode()
    assert without_secrets({"raw": text}) == {"raw": '{"model":"m","n":2.5}'}


HARMLESS_TEXTS = [
    "sk-learn", "sk-toggleable__content-arrow", "task-list-item-of-the-day-2024", "risk-assessment-of-2024-projects",
    "https://x.example/?key=chapter", "https://x.example/?page_token=abc12345678", "http://localhost:11434/v1@latest",
    "Bearer of bad news", 'Bearer realm="example.com"', "Bearer authentication-required", "Password: must have 8 characters",
    "hf_transfer", "npm_config_registry", "primary_key=12345678901234567890", "--max-tokens 4096", "--max-tokens=4096",
    '{"max_tokens": 4096, "tokenizer": "cl100k_base", "primary_key": "id-12345678"}', "see keys.md: the keyboard's keys",
    "data:image/png;base64,AIzaAIzaAIzaAIzaAIzaAIzaAIza+sk-AIzaAIzaAIzaAIza", "2025-01-01T00:00:00Z", "gpt-4o-mini-2024-07-18",
    "eyJust.a.file.name.that.is.quite.long.indeed.yes.it.is", "asia-northeast1", "xoxo", "content-type: application/json",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS_TEXTS)
def test_a_harmless_text_stays(text: str) -> None:
    record = {"note": text, "list": [text]}
    assert without_secrets(record) is record
    assert without_secrets_beside(record) is record
    assert survey(io.BytesIO(orjson.dumps(record))).keys == []


PAIRS = [
    {"key": "Authorization", "value": PLAIN},
    {"name": "x-api-key", "value": PLAIN, "enabled": True},
    {"header": "Cookie", "value": PLAIN},
    {"value": PLAIN, "name": "OPENAI_API_KEY"},
]


@pytest.mark.parametrize("pair", PAIRS)
def test_a_value_beside_the_name_of_a_secret_is_one(pair: dict[str, Any]) -> None:
    record = {"headers": [pair, {"key": "Accept", "value": "a/b"}]}
    assert without_secrets(record)["headers"] == [
        {name: value for name, value in pair.items() if name != "value"},
        {"key": "Accept", "value": "a/b"},
    ]
    assert [each.where for each in survey(io.BytesIO(orjson.dumps(record))).keys] == ["headers[0].value"]


def test_what_holds_secrets_has_them_one_by_one() -> None:
    record = {"OPENAI_API_KEYS": [PLAIN, ""], "apiKeys": {"a": PLAIN}, "cookies": [{"name": "sid", "value": PLAIN}]}
    assert without_secrets({**record, "credentials": {"user": PLAIN}})["credentials"] == {}
    assert [each.where for each in survey(io.BytesIO(orjson.dumps(record))).keys][:2] == [
        "OPENAI_API_KEYS[0]",
        "apiKeys.a",
    ]
    schema = {"credentials": {"type": "object", "description": "how to get in", "title": "Credentials"}}
    assert without_secrets(schema) is schema
    assert survey(io.BytesIO(orjson.dumps(schema))).keys == []


TEXTS = [
    "content",
    "text",
    "parts",
    "message",
    "question",
    "answer",
    "extracted_content",
    "reasoning",
    "summary",
]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("text", [*IN_TEXTS, *KEYS.values()])
def test_what_somebody_wrote_about_keys_stays_word_for_word(name: str, text: str) -> None:
    record = {
        "chat": [{"role": "user", name: text}, {name: [text]}, {"content": [{"type": "text", "text": {"value": text}}]}]
    }
    assert without_secrets(record) is record
    assert survey(io.BytesIO(orjson.dumps(record))).keys == []


@pytest.mark.parametrize("name", ["title", "name", "description", "error"])
def test_a_label_stays_unless_it_is_nothing_but_a_key(name: str) -> None:
    record = {name: f"Why does {KEYS['openai']} fail?"}
    assert without_secrets(record) is record
    assert without_secrets({name: KEYS["openai"]}) == {name: REMOVED}
    assert without_secrets({name: f" Bearer {KEYS['groq']}"}) == {name: f" Bearer {REMOVED}"}


def test_beside_a_chat_a_tool_s_words_lose_their_keys_and_a_person_s_do_not() -> None:
    said = f"my key is {KEYS['openai']}"
    tool = {"type": "message", "message": {"role": "toolResult", "content": [{"type": "text", "text": said}]}}
    assert not _is_left(without_secrets_beside(tool))
    for person in (
        {"role": "user", "content": [{"text": said}]},
        {"sender": "human", "text": said},
        {"author": {"role": "user"}, "content": {"parts": [said]}},
        {"isCreatedByUser": True, "text": said},
    ):
        record = {"type": "message", "message": person}
        assert without_secrets_beside(record) is record
        assert not _is_left(
            without_secrets_beside({**person, "config": {"apiKey": PLAIN}, "note": said}).get("note", "")
        )


def test_a_key_that_is_a_name_is_replaced_and_never_told() -> None:
    record = {"usage": {KEYS["openai"]: {"n": 1, "name": KEYS["google"], "apiKey": PLAIN}}}
    assert without_secrets({"usage": {KEYS["openai"]: 1}}) == {"usage": {REMOVED: 1}}
    found = survey(io.BytesIO(orjson.dumps(record))).keys
    assert [(each.where, each.provider) for each in found] == [
        (f"usage.{REMOVED}.name", ""),
        (f"usage.{REMOVED}.apiKey", ""),
        (f"usage.{REMOVED}", "usage"),
    ]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
harmless_names = st.sampled_from(HARMLESS_NAMES)


@given(json_values)
def test_what_is_clean_stays_clean(value: Any) -> None:
    once = without_secrets(value)
    assert without_secrets(once) == once
    assert without_secrets_beside(without_secrets_beside(value)) == without_secrets_beside(value)


def _hidden(secret: Any) -> st.SearchStrategy[Any]:
    """A secret somewhere in other JSON, also in JSON inside a text."""
    return st.recursive(
        st.just(secret),
        lambda inner: (
            inner.map(lambda value: [1, value])
            | st.tuples(harmless_names, json_values, inner).map(lambda each: {"z": each[1], each[0]: each[2]})
            | inner.map(lambda value: {"raw": orjson.dumps(value).decode()})
        ),
        max_leaves=4,
    )


secrets = st.one_of(
    st.sampled_from(SECRET_NAMES).map(lambda name: {name: PLAIN}),
    st.tuples(
        harmless_names.filter(lambda name: kind_of(name) is Kind.OTHER),
        st.sampled_from([*KEYS.values(), *IN_TEXTS[:-1]]),
    ).map(lambda each: {each[0]: each[1]}),
    st.sampled_from(PAIRS),
).flatmap(_hidden)


@given(secrets)
def test_wherever_a_secret_lies_it_is_taken_out_and_told(value: Any) -> None:
    found: list[str] = []
    left = without_secrets(value, lambda place, _owner: found.append(place))
    assert not _is_left(left)
    assert found
    data = orjson.dumps(value)
    assert json_may_hold(data), "a quick look passes over nothing that holds one"
    assert sorted(each.where for each in survey(io.BytesIO(data)).keys) == sorted(found)


@given(json_values)
def test_the_survey_tells_what_is_taken_out_and_nothing_else(value: Any) -> None:
    value = [value]
    found: list[str] = []
    left = without_secrets(value, lambda place, _owner: found.append(place))
    assert sorted(each.where for each in survey(io.BytesIO(orjson.dumps(value))).keys) == sorted(found)
    assert json_may_hold(orjson.dumps(value)) or left is value
