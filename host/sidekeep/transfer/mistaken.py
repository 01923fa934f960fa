"""What people choose in place of an export, told by its first bytes, so that they hear what to choose instead."""

_TEXT_ENCODINGS = (b"\xff\xfe", b"\xfe\xff", b"[\0", b"{\0", b"\0[", b"\0{")
_PACKED = (b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ")
_PAGES = (b"<!doctype", b"<html", b"<?xml")


def reason(head: bytes) -> str:
    """Why a file that begins so is no export, and what to do; "" where it may be one."""
    if head.startswith(_TEXT_ENCODINGS):
        return "Its text is in UTF-16. Save it as UTF-8, and import that."
    if head.startswith(_PACKED):
        return "It is packed in a way that is not read. Unpack it, and import what was in it."
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_PAGES):
        return "It is a web page, no export. Choose the JSON file or the ZIP that the program's export made."
    return ""
