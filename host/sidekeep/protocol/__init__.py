"""The wire's types: shapes, parameters, results, the method table.

docs/protocol.md is its text, extension/lib/protocol.d.ts its mirror; tests compare the three.
"""

PROTOCOL_VERSION = 1
