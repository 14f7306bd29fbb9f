"""Key agreement (X25519): a secret that only the owner of a private key can find again."""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from mindfirl.store.crypto.sealing import SealBroken

POINT_BYTES: Final = 32
"""The length of a public key."""


def agree(public: X25519PublicKey) -> tuple[bytes, bytes]:
    """Make a secret for the owner of a key; return the point that leads to it, and the secret."""
    passing = X25519PrivateKey.generate()
    secret = passing.exchange(public) + public.public_bytes_raw()
    return passing.public_key().public_bytes_raw(), secret


def agreed(private: X25519PrivateKey, point: bytes) -> bytes:
    """Find the secret again that a point leads to."""
    try:
        shared = private.exchange(X25519PublicKey.from_public_bytes(point))
    except ValueError:
        raise SealBroken from None
    return shared + private.public_key().public_bytes_raw()
