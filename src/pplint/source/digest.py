"""Short names for long contents."""

from __future__ import annotations

try:
    # The same as hashlib's; but hashlib loads OpenSSL, and that takes longer than all the names of a silent run.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def digest_of(content: bytes | str, size: int = 16) -> str:
    """The BLAKE2b digest of bytes, or of a text in UTF-8 with its surrogates, in `2 * size` hexadecimal digits."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=size).hexdigest()
