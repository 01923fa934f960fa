"""The offline model's own process: `sidekeep offline-model`, started by llm.offline and by nobody else.

The order comes as one JSON line on stdin, `{"model": PATH, "alias": NAME, "window": N, "threads": N, "key": SECRET}`,
so that the key stands in no process list and no environment. The answer is one JSON line on stdout, `{"base_url": URL,
"window": N}` or `{"error": TEXT}`. After it the process says nothing more and serves until its stdin ends, which it
also does when the host is killed.
"""

import json
import os
import signal
import sys
import threading
from typing import IO, Any

_BATCH_TOKENS = 512  # a stopped turn is noticed between batches; 2048 would keep the processor busy for 8 s


def main() -> int:
    """Serve until stdin ends. Returns 1 where the model cannot be loaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the host, whose end is ours
    answer = _take_stdout()
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        server, window = _serve(json.loads(line))
    except ImportError as exc:  # its wheel counts on the system's OpenMP library
        _say(answer, {"error": f"llama.cpp cannot be loaded ({exc}). On Debian and Ubuntu run: apt install libgomp1"})
        return 1
    except Exception as exc:  # llama.cpp's own, through Cython; whatever it is, the host has to hear of it
        _say(answer, {"error": f"{type(exc).__name__}: {exc}"})
        return 1
    _say(answer, {"base_url": f"{server.listening_address}/v1", "window": window})
    threading.Event().wait()
    return 0


def _take_stdout() -> IO[bytes]:
    """The pipe to the host, for one line. What llama.cpp prints goes nowhere: it may hold pieces of a prompt."""
    answer = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return answer


def _say(answer: IO[bytes], value: dict[str, Any]) -> None:
    with answer:
        answer.write(json.dumps(value).encode() + b"\n")


def _end_with_stdin() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)  # at once: the server's own end would wait for a request in flight


def _serve(order: dict[str, Any]) -> tuple[Any, int]:
    """The running server, and the window it really has (llama.cpp rounds up to whole blocks of 256)."""
    # Threads that wait by spinning make llama.cpp crawl as soon as anything else wants a core: 1 token a second was
    # measured beside a browser. Read by OpenMP when the library is loaded.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["model"]
    params.model_alias = {order["alias"]}
    params.n_ctx = order["window"]
    params.n_parallel = 1  # more slots would share the window between them
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cpuparams.n_threads = 1  # a model this small writes no faster with two that really wait for each other
    params.cpuparams_batch.n_threads = order["threads"]
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.cache_ram_mib = 0  # the default keeps up to 8 GiB of earlier prompts
    params.sampling.temp, params.sampling.top_p = 0.2, 0.9  # what the model's authors recommend
    params.sampling.penalty_repeat, params.sampling.penalty_last_n = 1.1, 256  # without, it repeats itself to the end
    _close_off(params, order["key"])
    server = xllamacpp.Server(params)
    return server, -(-order["window"] // 256) * 256


def _close_off(params: Any, key: str) -> None:
    """Loopback only, nothing without the key, nothing for a web page, no web interface, no network, no log."""
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    # The default is `*`: any page that guesses the port could read the answers.
    params.cors_origins = params.cors_methods = params.cors_headers = ""
    params.cors_origins_explicit = True
    params.cors_credentials = False
    params.ui = False
    params.endpoint_slots = True  # how the host sees that a request is in flight
    params.endpoint_metrics = params.endpoint_props = False
    params.offline = True
    params.verbosity = -1
