"""Bytes in and out: frames and parts as parsers without I/O, and stdio, which owns file descriptors 0 and 1."""
