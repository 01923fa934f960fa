"""The offline model, run for real: it answers, it lets nobody else in, and it never outlives its host."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.llm.conftest import ROOT, eventually

from sidekeep.errors import ModelUnavailable, ProviderFailed
from sidekeep.llm import weights
from sidekeep.llm.client import ModelClient
from sidekeep.llm.offline import OfflineModel
from sidekeep.llm.types import Endpoint, Event, Finished, ModelInfo, TextDelta, UsageReport

pytestmark = [pytest.mark.anyio, pytest.mark.model]

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
ANSWER_S = 120


@pytest.fixture
async def model(models_dir: Path) -> AsyncIterator[OfflineModel]:
    model = OfflineModel(models_dir)
    yield model
    await model.aclose()


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    client = ModelClient()
    yield client
    await client.aclose()


def question(text: str, max_tokens: int = 16) -> bytes:
    return json.dumps(
        {
            "model": weights.SMOLLM2.model,
            "messages": [{"role": "user", "content": text}],
            "max_tokens": max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ).encode()


async def ask(client: ModelClient, endpoint: Endpoint, body: bytes) -> list[Event]:
    async with asyncio.timeout(ANSWER_S):
        return [event async for event in client.stream(endpoint, body)]


def pid_of(endpoint: Endpoint) -> int:
    """The process that listens on the endpoint's port (Linux)."""
    port = int(endpoint.base_url.removesuffix("/v1").rpartition(":")[2])
    inodes = {entry[9] for entry in listening() if int(entry[1].rpartition(":")[2], 16) == port}
    for process in Path("/proc").glob("[0-9]*"):
        if any(f"socket:[{inode}]" in links_of(process) for inode in inodes):
            return int(process.name)
    raise AssertionError(f"nobody listens on {port}")


def links_of(process: Path) -> list[str]:
    links: list[str] = []
    try:
        for link in (process / "fd").iterdir():
            try:
                links.append(str(link.readlink()))
            except OSError:
                continue
    except OSError:
        return []
    return links


def listening() -> list[list[str]]:
    """The rows of the system's tables of listening TCP sockets: [1] is the local address, [9] the inode."""
    rows = [
        line.split()
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text().splitlines()[1:]
    ]
    return [row for row in rows if row[3] == "0A"]


def is_gone(pid: int) -> bool:
    """Whether the process has ended, reaped or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


async def test_an_answer_streams(model: OfflineModel, client: ModelClient) -> None:
    endpoint = await model.endpoint()
    assert (endpoint.kind, endpoint.model, endpoint.window) == ("offline", "SmolLM2-135M-Instruct", 8192)
    assert model.running
    events = await ask(client, endpoint, question("Say hello."))
    assert len([event for event in events if isinstance(event, TextDelta)]) > 1
    usage = next(event for event in events if isinstance(event, UsageReport))
    assert usage.prompt_tokens > 5
    assert 0 < usage.completion_tokens <= 16
    assert isinstance(events[-1], Finished)


async def test_it_lists_itself_with_its_window(model: OfflineModel, client: ModelClient) -> None:
    listed = await client.models(await model.endpoint(2048))
    assert listed == [ModelInfo("SmolLM2-135M-Instruct", 2048, vision=False)]


async def test_a_request_over_the_window_comes_back_as_its_own_error_whole(
    model: OfflineModel, client: ModelClient
) -> None:
    endpoint = await model.endpoint(512)
    with pytest.raises(ProviderFailed) as caught:
        await ask(client, endpoint, question("word " * 2000))
    failure = caught.value
    assert (failure.status, failure.delivered) == (400, "http-error")
    error = json.loads(failure.body)["error"]
    assert (error["type"], error["n_ctx"]) == ("exceed_context_size_error", 512)
    assert error["n_prompt_tokens"] > 2000
    assert failure.provider_message == error["message"]
    assert failure.message == "The offline model refused the request (400)."


async def test_another_window_restarts_it_and_the_same_does_not(model: OfflineModel) -> None:
    first = await model.endpoint(500)
    assert first.window == 512
    assert await model.endpoint(512) == first
    other = await model.endpoint(1024)
    assert other.window == 1024
    assert other.base_url != first.base_url
    assert (await model.endpoint(1_000_000)).window == 8192


@pytest.mark.parametrize("key", [None, "wrong"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/chat/completions"),
        ("POST", "/completion"),
        ("POST", "/tokenize"),
        ("GET", "/v1/models"),
        ("GET", "/slots"),
        ("GET", "/props"),
        ("GET", "/metrics"),
    ],
)
async def test_nothing_is_served_without_the_key(
    shared_model: OfflineModel, key: str | None, method: str, path: str
) -> None:
    endpoint = await shared_model.endpoint()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx.AsyncClient() as http:
        answer = await http.request(method, root_of(endpoint) + path, headers=headers, content=question("hi"))
    assert answer.status_code == 401


async def test_no_web_page_is_granted_anything(shared_model: OfflineModel) -> None:
    endpoint = await shared_model.endpoint()
    page = {"Origin": "https://evil.example"}
    asking = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    url = root_of(endpoint) + "/v1/chat/completions"
    async with httpx.AsyncClient(limits=httpx.Limits(max_keepalive_connections=0)) as http:
        preflight = await http.options(url, headers=page | asking)
        answered = await http.post(
            url, headers=page | {"Authorization": f"Bearer {endpoint.api_key}"}, content=question("hi", 1), timeout=60
        )
        front = await http.get(root_of(endpoint))
    for answer in (preflight, answered):
        assert answer.headers.get("access-control-allow-origin", "") == ""
        assert answer.headers.get("access-control-allow-credentials") != "true"
        assert "POST" not in answer.headers.get("access-control-allow-methods", "")
    assert front.status_code == 404


@linux
async def test_it_listens_on_loopback_only(shared_model: OfflineModel) -> None:
    pid = pid_of(await shared_model.endpoint())
    links = links_of(Path(f"/proc/{pid}"))
    addresses = [row[1].rpartition(":")[0] for row in listening() if f"socket:[{row[9]}]" in links]
    assert addresses == ["0100007F"]


@linux
async def test_the_key_is_in_no_argument_and_no_variable(shared_model: OfflineModel) -> None:
    endpoint = await shared_model.endpoint()
    process = Path(f"/proc/{pid_of(endpoint)}")
    assert endpoint.api_key is not None
    assert len(endpoint.api_key) >= 32
    for name in ("cmdline", "environ"):
        assert endpoint.api_key.encode() not in (process / name).read_bytes()
    assert b"offline-model" in (process / "cmdline").read_bytes()


@linux
async def test_it_inherits_no_descriptor_and_its_output_goes_nowhere(model: OfflineModel) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)  # as careless code would leave the pipe to the browser
    try:
        process = Path(f"/proc/{pid_of(await model.endpoint())}")
        assert str(Path(f"/proc/self/fd/{writing}").readlink()) not in links_of(process)
        assert [str((process / "fd" / number).readlink()) for number in ("1", "2")] == ["/dev/null"] * 2
        assert sum(link.startswith("pipe:") for link in links_of(process)) <= 1  # its stdin
    finally:
        os.close(reading)
        os.close(writing)


class StandingClock:
    """A clock that goes on when it is told to, `step_s` at each reading. Each look at whether the model is idle reads it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.step_s = 0.0
        self.readings = 0

    def __call__(self) -> float:
        self.readings += 1
        self.now += self.step_s
        return self.now

    async def looked_at(self) -> None:
        before = self.readings
        await eventually(lambda: self.readings > before)


@linux
async def test_it_stops_when_idle_and_starts_again_when_needed(models_dir: Path, client: ModelClient) -> None:
    clock = StandingClock()
    model = OfflineModel(models_dir, idle_s=0.2, clock=clock)
    first = await model.endpoint()
    pid = pid_of(first)
    await clock.looked_at()
    assert model.running
    clock.now += 1
    await eventually(lambda: is_gone(pid) and not model.running)
    second = await model.endpoint()
    assert second.api_key != first.api_key
    assert isinstance((await ask(client, second, question("hi", 1)))[-1], Finished)
    await model.aclose()


async def test_it_does_not_stop_while_it_answers(models_dir: Path, client: ModelClient) -> None:
    clock = StandingClock()
    model = OfflineModel(models_dir, idle_s=0.15, clock=clock)
    stream = client.stream(await model.endpoint(), question("Write a long story about the sea.", 150))
    async with asyncio.timeout(ANSWER_S):
        await anext(stream)
        await clock.looked_at()  # from here on each look finds it answering
        clock.now += 1
        await clock.looked_at()
        *_, last = [event async for event in stream]
    assert isinstance(last, Finished)
    clock.step_s = 1
    await eventually(lambda: not model.running)
    await model.aclose()


@linux
async def test_a_crash_is_told_and_the_next_use_starts_it_again(model: OfflineModel, client: ModelClient) -> None:
    endpoint = await model.endpoint()
    answer = client.stream(endpoint, question("Write a long story about the sea.", 2000))
    assert isinstance(await anext(answer), TextDelta)
    os.kill(pid_of(endpoint), signal.SIGKILL)
    with pytest.raises(ProviderFailed, match="The offline model broke off in the middle of the answer"):
        await asyncio.wait_for(drain(answer), ANSWER_S)
    await eventually(lambda: not model.running)
    with pytest.raises(ProviderFailed, match="The offline model has stopped"):
        await ask(client, endpoint, question("hi"))
    assert isinstance((await ask(client, await model.endpoint(), question("hi", 1)))[-1], Finished)


async def test_a_stopped_answer_frees_the_model(shared_model: OfflineModel, client: ModelClient) -> None:
    endpoint = await shared_model.endpoint()
    answer = client.stream(endpoint, question("Write a long story about the sea.", 4000))
    assert isinstance(await anext(answer), TextDelta)
    await answer.aclose()
    # One slot: had the first answer gone on to its 4,000 tokens, this would wait for more than its time-out.
    async with asyncio.timeout(15):
        assert isinstance((await ask(client, endpoint, question("hi", 1)))[-1], Finished)


@linux
async def test_closing_ends_it_at_once_in_the_middle_of_an_answer(model: OfflineModel, client: ModelClient) -> None:
    endpoint = await model.endpoint()
    pid = pid_of(endpoint)
    answer = client.stream(endpoint, question("Write a long story about the sea.", 2000))
    assert isinstance(await anext(answer), TextDelta)
    await model.aclose()
    assert is_gone(pid)
    assert not model.running
    await answer.aclose()


@linux
async def test_it_ends_with_its_host_even_after_sigkill(models_dir: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from sidekeep.llm.offline import OfflineModel\n"
        "async def main():\n"
        "    endpoint = await OfflineModel(Path(sys.argv[1])).endpoint()\n"
        "    print(endpoint.base_url, flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    host = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(models_dir), stdout=asyncio.subprocess.PIPE, cwd=ROOT / "host"
    )
    assert host.stdout is not None
    base_url = (await asyncio.wait_for(host.stdout.readline(), ANSWER_S)).decode().strip()
    pid = pid_of(Endpoint("offline", base_url, "x"))
    assert not is_gone(pid)
    host.kill()
    await host.wait()
    await eventually(lambda: is_gone(pid))


async def test_two_hosts_have_a_child_each(models_dir: Path, shared_model: OfflineModel, client: ModelClient) -> None:
    other = OfflineModel(models_dir)
    endpoints = [await shared_model.endpoint(), await other.endpoint()]
    assert endpoints[0].base_url != endpoints[1].base_url
    assert endpoints[0].api_key != endpoints[1].api_key
    answers = await asyncio.gather(*(ask(client, endpoint, question("hi", 4)) for endpoint in endpoints))
    assert all(isinstance(events[-1], Finished) for events in answers)
    await other.aclose()


async def test_asking_twice_at_once_starts_one_child(model: OfflineModel) -> None:
    first, second = await asyncio.gather(model.endpoint(), model.endpoint())
    assert first == second


def root_of(endpoint: Endpoint) -> str:
    return endpoint.base_url.removesuffix("/v1")


async def drain(answer: AsyncIterator[Event]) -> None:
    async for _ in answer:
        pass


async def test_missing_weights_are_told_with_the_command(tmp_path: Path) -> None:
    model = OfflineModel(tmp_path)
    assert not model.installed
    assert not model.running
    assert model.unavailable_reason() == "The offline model's weights are not here yet. Run: sidekeep model get"
    with pytest.raises(ModelUnavailable, match="sidekeep model get"):
        await model.endpoint()
    await model.aclose()


async def test_a_damaged_file_of_the_right_size_is_noticed(tmp_path: Path) -> None:
    with weights.path_of(tmp_path).open("wb") as file:
        file.truncate(weights.SMOLLM2.bytes)
    model = OfflineModel(tmp_path)
    assert model.installed
    with pytest.raises(ModelUnavailable, match=r"damaged\. Run: sidekeep model get"):
        await model.endpoint()


async def test_a_file_llama_cpp_refuses_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights.path_of(tmp_path).write_bytes(b"no model")
    monkeypatch.setattr(weights, "is_intact", lambda _: True)
    monkeypatch.setattr(weights, "is_installed", lambda _: True)
    model = OfflineModel(tmp_path)
    with pytest.raises(ModelUnavailable, match="could not be started: RuntimeError: Failed to init server"):
        await model.endpoint()
    assert not model.running


async def test_where_llama_cpp_has_no_build_ollama_is_offered(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    reason = OfflineModel(models_dir).unavailable_reason()
    assert reason is not None
    assert "does not run on this platform" in reason
    assert "Ollama" in reason
