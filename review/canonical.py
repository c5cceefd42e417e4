"""The one byte form of anything that is hashed: JSON with sorted keys, no spaces, no floats."""

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Return `value` as canonical JSON text.

    Keys sorted, no spaces, UTF-8 text unescaped; only strings, integers, booleans, null, lists and
    objects with string keys. Floats raise TypeError: their text differs between languages, so a
    fraction is written "n/N". Example: canonical_json({"b": 1, "a": "é"}) == '{"a":"é","b":1}'.
    """
    _refuse_floats(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: Any) -> str:
    """Return the SHA-256 (64 hex digits) of the canonical JSON of `value`."""
    return sha256_hex(canonical_json(value))


def content_digest(value: Any) -> str:
    """Return the SHA-256 of imported content, which may hold floats (JSON numbers as Python reads them)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256_hex(text)


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of the UTF-8 bytes of `text`, 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _refuse_floats(value: Any) -> None:
    if isinstance(value, float):
        raise TypeError(f"a float cannot be hashed canonically: {value!r}; write a fraction as 'n/N'")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"keys must be text, got {key!r}")
            _refuse_floats(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _refuse_floats(item)
