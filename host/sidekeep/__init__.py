"""Sidekeep's native messaging host: conversations, pictures and settings outside the browser."""

__version__ = "0.1.0"
