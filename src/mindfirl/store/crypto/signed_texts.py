"""Texts signed with Ed25519: made and checked, without a database or Django.

Keys and signatures are written in hexadecimal digits.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from mindfirl.core.ledger.receipts import Receipt


def public_key(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def sign(key: Ed25519PrivateKey, text: bytes) -> str:
    return key.sign(text).hex()


def is_signed(receipt: Receipt) -> bool:
    """Say whether a head was signed by the key that it names."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(receipt.key))
        key.verify(bytes.fromhex(receipt.signature), receipt.statement)
    except (ValueError, InvalidSignature):
        return False
    return True
