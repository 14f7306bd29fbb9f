"""What is known elsewhere, found in any cell."""

from __future__ import annotations

import pytest

from mindfirl.engine.release.pseudonyms import pseudonyms

NUMBER = bytes.fromhex("00112233445566778899aabbccddeeff")


@pytest.mark.parametrize(
    "text",
    [
        "00112233445566778899aabbccddeeff",
        "see 00112233-4455-6677-8899-AABBCCDDEEFF.",
        "ABEiM0RVZneImaq7zN3u/w==",
        "id=ABEiM0RVZneImaq7zN3u_w",
        "record h0000123",
        "H-0000123",
        "(h0000123)",
        "12345678",
    ],
)
def test_pseudonyms_are_found_where_they_stand_alone(text: str) -> None:
    assert pseudonyms([NUMBER, "H0000123", "12345678", "x1"]).stand_in(text)


@pytest.mark.parametrize(
    "text", ["", "x1", "4711", "h00001234", "00112233445566778899aabbccddeef0"]
)
def test_what_is_too_short_or_longer_is_no_pseudonym(text: str) -> None:
    assert not pseudonyms([NUMBER, "h0000123", "4711", "x1"]).stand_in(text)
