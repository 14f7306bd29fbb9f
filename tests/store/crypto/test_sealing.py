"""What is sealed opens with its key, as what it is, and not otherwise."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from mindfirl.store.crypto.agreement import POINT_BYTES, agree, agreed
from mindfirl.store.crypto.sealing import SealBroken, derive_key, new_key, seal, unseal

KEY = bytes(range(32))


def test_content_opens_with_its_key_as_what_it_is() -> None:
    sealed = seal(KEY, b"content", bound=b"comment 1")
    assert unseal(KEY, sealed, bound=b"comment 1") == b"content"
    assert sealed != seal(KEY, b"content", bound=b"comment 1")
    assert b"content" not in sealed
    for key, bound in ((new_key(), b"comment 1"), (KEY, b"comment 2")):
        with pytest.raises(SealBroken):
            unseal(key, sealed, bound=bound)


def test_any_change_or_cut_is_refused() -> None:
    sealed = seal(KEY, b"content", bound=b"")
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        for spoilt in (bytes(changed), sealed[:place]):
            with pytest.raises(SealBroken):
                unseal(KEY, spoilt, bound=b"")


def test_a_derived_key_serves_one_use() -> None:
    keys = {derive_key(KEY, b"uploads"), derive_key(KEY, b"comments"), KEY}
    assert len(keys) == 3
    assert derive_key(KEY, b"uploads") in keys


def test_only_the_owner_of_the_private_key_finds_the_secret_again() -> None:
    owner, other = X25519PrivateKey.generate(), X25519PrivateKey.generate()
    point, secret = agree(owner.public_key())
    assert len(point) == POINT_BYTES
    assert agreed(owner, point) == secret
    assert agreed(other, point) != secret
    assert agree(owner.public_key())[1] != secret
    for none in (bytes(POINT_BYTES), point[:-1]):
        with pytest.raises(SealBroken):
            agreed(owner, none)
