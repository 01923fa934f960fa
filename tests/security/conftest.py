"""A data home and a model server, as tests/process has them."""

from tests.llm.conftest import anyio_backend
from tests.process.conftest import home, model

__all__ = ["anyio_backend", "home", "model"]
