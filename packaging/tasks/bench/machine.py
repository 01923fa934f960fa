"""The machine that figures were measured on, in words."""

import os
import platform
from pathlib import Path


def machine() -> str:
    """Processor, cores, memory, system and Python, without the machine's name."""
    memory = _memory_gb()
    size = f", {memory:.0f} GB" if memory else ""
    system = f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"
    return f"{_cpu()}, {os.cpu_count()} cores{size}, {system}, Python {platform.python_version()}"


def load() -> float:
    """How many processes wanted the processor in the last minute, on average. 0 where the system does not tell."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


def _memory_gb() -> float:
    if not hasattr(os, "sysconf"):
        return 0.0
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
