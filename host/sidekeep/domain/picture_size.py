"""A picture's width and height from the header of its file: no decoding, no library, any beginning of the file will do."""

import binascii
import struct

# Most files say it at once; a JPEG may carry 64 KB of camera data and a preview before.
_HEADER_BYTES = (1_536, 196_608)

Size = tuple[int, int]
UNKNOWN: Size = (0, 0)


def picture_size(data: bytes) -> Size:
    """Width and height in pixels of a PNG, JPEG, GIF, WebP, BMP or AVIF; (0, 0) where the header does not tell."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return _positive(*struct.unpack_from(">II", data, 16))
        if data.startswith((b"GIF87a", b"GIF89a")):
            return _positive(*struct.unpack_from("<HH", data, 6))
        if data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            return _positive(width, abs(height))  # a negative height: rows from the top
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _positive(*_webp(data))
        if data.startswith(b"\xff\xd8"):
            return _positive(*_jpeg(data))
        if data[4:8] == b"ftyp":
            return _positive(*_avif(data))
    except struct.error:  # cut short
        pass
    return UNKNOWN


def data_url_size(url: str) -> Size:
    """As picture_size, of a base64 data URL, of which only the beginning is decoded."""
    head, comma, text = url[: _HEADER_BYTES[-1] * 4 // 3].partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return UNKNOWN
    sizes = (_size_in(text[: min(length * 4 // 3, len(text) // 4 * 4)]) for length in _HEADER_BYTES)
    return next((size for size in sizes if size != UNKNOWN), UNKNOWN)


def _size_in(text: str) -> Size:
    try:
        return picture_size(binascii.a2b_base64(text))
    except ValueError:
        return UNKNOWN


def _positive(width: int, height: int) -> Size:
    return (width, height) if width > 0 and height > 0 else UNKNOWN


def _webp(data: bytes) -> Size:
    """Three kinds: lossy (14 bits each), lossless (14 bits each, less one), extended (24 bits each, less one)."""
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return UNKNOWN


def _jpeg(data: bytes) -> Size:
    """From segment to segment until the frame header (SOF0 to SOF15, less the three that are tables)."""
    at = 2
    while True:
        while data[at : at + 2] == b"\xff\xff":  # padding
            at += 1
        marker, length = struct.unpack_from(">xBH", data, at)
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if data[at] != 0xFF or length < 2:
            return UNKNOWN
        at += 2 + length


def _avif(data: bytes) -> Size:
    """The largest `ispe` property: a file may hold a small preview too."""
    found, at = UNKNOWN, data.find(b"ispe")
    while at >= 0 and at + 16 <= len(data):
        found = max(found, struct.unpack_from(">II", data, at + 8))
        at = data.find(b"ispe", at + 4)
    return found
