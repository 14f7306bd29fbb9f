"""Signed heads: what they say is fixed, and a ledger that no longer fits them is found."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from mindfirl.core.errors import LedgerBroken, ReceiptBroken
from mindfirl.core.ledger.chain import (
    GENESIS,
    Head,
    followed,
    lines_digest,
    read,
    read_one,
    read_rows,
)
from mindfirl.core.ledger.events import Dispatched, Event, Opened
from mindfirl.core.ledger.project_events import Acknowledged
from mindfirl.core.ledger.receipts import (
    CheckedLedger,
    Evidence,
    Receipt,
    read_receipt,
    verify_ledger,
)

TERMS = Dispatched("a1", "digest", 100, ("first",), 1, "paper", 10**9)
AT = "2030-05-05T12:00:00.000000Z"


def chain(events: list[Event]) -> list[str]:
    head, lines = Head(), []
    for event in events:
        entry, head = head.append(at=AT, actor="w1", event=event)
        lines.append(entry.line())
    return lines


def ledger(entries: int, *, other: int = 0) -> list[str]:
    """A ledger, in which one entry may be another, and all that follow are written again."""
    opened = [Opened("a1", pair, ("first",), "full", 7) for pair in range(1, entries)]
    if other:
        opened[other - 2] = replace(opened[other - 2], charge=8)
    return chain([TERMS, *opened])


def signed(lines: list[str], entries: int, *, key: str = "own", signature: str = "good") -> Receipt:
    digest = lines[entries - 1][:64] if entries else GENESIS
    return Receipt("p1", entries, digest, AT, key, signature)


def checked(lines: list[str], end: list[str] | None = None, **known: Any) -> CheckedLedger:
    said = lines if end is None else end
    head = Head(len(said), said[-1][:64]) if said else Head()
    evidence = Evidence(
        head, lambda each: each.signature == "good", **{"trusted": {"own"}, **known}
    )
    return verify_ledger(list(enumerate(lines, start=1)), evidence)


def broken(lines: list[str], end: list[str] | None = None, **known: Any) -> tuple[int, str]:
    with pytest.raises(LedgerBroken) as caught:
        checked(lines, end, **known)
    return caught.value.number, caught.value.reason


def test_what_is_signed_and_how_a_receipt_is_written_never_change() -> None:
    receipt = Receipt("p1", 3, 64 * "a", AT, "key", "signature", "Hôpital")
    said = f'{{"at":"{AT}","digest":"{64 * "a"}","entries":3,"project":"p1"}}'
    assert receipt.statement == f"mindfirl head of a ledger {said}".encode("ascii")
    assert receipt.line() == (
        f'{{"at":"{AT}","digest":"{64 * "a"}","entries":3,"key":"key","name":"H\\u00f4pital",'
        '"occasion":"receipt","project":"p1","signature":"signature"}'
    )
    assert read_receipt(receipt.line()) == receipt


def test_what_is_signed_is_one_text() -> None:
    receipt = Receipt("p1", 3, "ab", AT, "k", "s", name="study")
    said = f'{{"at":"{AT}","digest":"ab","entries":3,"project":"p1"}}'
    assert receipt.statement == f"mindfirl head of a ledger {said}".encode()
    assert receipt.statement == replace(receipt, name="other", occasion="day").statement
    changes: list[Any] = [{"project": "x"}, {"digest": "x"}, {"at": "x"}, {"entries": 4}]
    for change in changes:
        assert receipt.statement != replace(receipt, **change).statement


def test_a_receipt_reads_back() -> None:
    receipt = Receipt("p1", 3, "a" * 64, AT, "k", "s", name="stüdy", occasion="day")
    assert receipt.line().isascii()
    assert read_receipt(receipt.line()) == receipt
    assert read_receipt(json.dumps(asdict(receipt), indent=2)) == receipt
    assert receipt.head == Head(3, "a" * 64)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"project": "p1"}',
        Receipt("p1", -1, "a" * 64, AT, "k", "s").line(),
        Receipt("p1", 1, "A" * 64, AT, "k", "s").line(),
        Receipt("p1", 1, "a" * 64, AT, "k", "s").line().replace(":1,", ":true,"),
        Receipt("p1", 1, "a" * 64, AT, "k", "s").line().replace('"p1"', "1"),
        Receipt("p1", 1, "a" * 64, AT, "k", "s").line().replace('"at"', '"when"'),
    ],
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(ReceiptBroken, match="it is not one"):
        read_receipt(text)


def test_a_ledger_that_fits_all_that_is_known() -> None:
    lines = ledger(9)
    heads = [signed(lines, entries) for entries in (0, 4, 9)]
    others = [signed(lines, 2, key="other")]
    found = checked(lines, signed=[*heads, *others], mark=Head(6, lines[5][:64]))
    assert found.head == Head(9, lines[-1][:64])
    assert (len(found.entries), found.accounts["a1"].spent) == (9, 56)
    assert checked([]).head == Head()


def test_an_end_that_is_not_where_it_is_said_to_be() -> None:
    lines = ledger(9)
    assert broken(lines[:7], lines) == (8, "the ledger is said to have 9 entries")
    assert broken(lines, lines[:7])[0] == 8
    assert broken(lines, ledger(9, other=9))[0] == 9
    other_end = Evidence(Head(0, "a" * 64), lambda _: True)
    with pytest.raises(LedgerBroken, match="entry 1"):
        verify_ledger([], other_end)


def test_a_ledger_written_anew_is_found_where_it_was_last_proven() -> None:
    before, lines = ledger(9), ledger(9, other=5)
    assert broken(lines, signed=[signed(before, 9)])[0] == 1
    number, reason = broken(lines, signed=[signed(before, each) for each in (2, 3, 7, 9)])
    assert (number, "up to entry 7," in reason) == (4, True)
    assert broken(lines, signed=[signed(before, 5)])[0] == 1
    assert broken(lines, signed=[signed(before, 4), signed(before, 5)])[0] == 5
    wrong_start = replace(signed(before, 0), digest="a" * 64)
    assert broken(before, signed=[wrong_start])[0] == 1


def test_entries_that_were_made_elsewhere_are_named() -> None:
    before, lines = ledger(9), ledger(9, other=5)
    own = {number for number in range(1, 10) if lines[number - 1] == before[number - 1]}
    known: Any = {"made_here": own.__contains__}
    assert broken(lines, **known) == (5, "it was not written by this installation")
    assert broken(lines, signed=[signed(before, 9)], **known)[0] == 5
    assert checked(before, made_here=range(1, 10).__contains__).head.entries == 9


def test_what_lies_behind_a_broken_entry_is_not_missed() -> None:
    before = ledger(9)
    lines = [*before[:4], "nonsense", *before[5:]]
    mark = Head(9, before[-1][:64])
    assert broken(lines, before, mark=mark, signed=[signed(before, 9)])[0] == 5


def test_a_ledger_behind_its_mark_is_named() -> None:
    before, lines = ledger(9), ledger(9, other=5)
    mark = Head(9, before[-1][:64])
    assert broken(before[:4], mark=mark)[0] == 5
    assert broken(lines, mark=mark)[0] == 9
    assert checked(before, mark=Head(4, before[3][:64])).head.entries == 9
    known = Acknowledged(0, 0, "", (), mark.entries, mark.digest, "", "restored")
    assert checked(before[:4], mark=mark, acknowledged=[known]).head.entries == 4


def test_acknowledged_entries_are_not_found_again_and_stay_as_they_are() -> None:
    lines = ledger(9)
    bad = [*lines[:4], "nonsense", *lines[5:]]
    assert broken(bad)[0] == 5
    known = Acknowledged(5, 9, lines_digest(bad[4:]), (), 0, GENESIS, "", "known")
    found = checked(bad, signed=[signed(lines, 7)], acknowledged=[known])
    assert ([each.number for each in found.entries], found.accounts) == (
        [1, 2, 3, 4, 6, 7, 8, 9],
        {},
    )
    bad[6] = "other nonsense"
    assert broken(bad, acknowledged=[known]) == (
        5,
        "it is not what it was when it was acknowledged",
    )


def test_a_head_that_others_signed_proves_nothing() -> None:
    before, lines = ledger(9), ledger(9, other=5)
    forged = signed(lines, 7, key="other")
    assert broken(lines, signed=[signed(before, 9), forged])[0] == 1
    assert broken(lines, signed=[signed(before, 9), replace(forged, key="own")])[0] == 8
    assert broken(lines, signed=[signed(before, 6, key="other")])[0] == 1


def test_a_cut_end_and_a_changed_signature() -> None:
    lines = ledger(9)
    heads = [signed(lines, 5), signed(lines, 9)]
    number, reason = broken(lines[:7], signed=heads)
    assert (number, reason) == (8, f"a head that was signed at {AT} counts 9 entries")
    assert broken(lines, signed=[signed(lines, 5, signature="bad")])[0] == 5
    assert broken(lines, signed=[signed(lines, 0, signature="bad")])[0] == 1


def test_the_first_of_several_faults_is_named() -> None:
    before = ledger(9)
    lines = ledger(9, other=3)
    lines[6] = lines[6].replace("7", "6")
    assert broken(lines, signed=[signed(before, 4), signed(before, 9)])[0] == 1
    assert broken(lines)[0] == 7
    assert broken(chain([TERMS, TERMS, TERMS]))[0] == 2


def test_lines_are_read_as_far_as_they_hold() -> None:
    lines = ledger(4)
    found = read_rows(list(enumerate(lines, start=1)))
    assert (len(found.entries), found.broken) == (4, None)
    for rows in (
        [(1, lines[0]), (2, lines[1]), (4, lines[3])],
        [*enumerate(lines[:2], 1), (3, "")],
    ):
        found = read_rows(rows)
        assert (len(found.entries), found.head.entries) == (2, 2)
        assert found.broken is not None
        assert found.broken.number == 3


def test_one_line_is_read_by_itself() -> None:
    lines = ledger(4)
    assert read_one(lines[2], 3) == read(lines)[2]
    with pytest.raises(LedgerBroken, match="entry 3: its digest"):
        read_one(lines[2].replace("7", "6"), 3)


def test_what_follows_a_head_is_checked_from_there() -> None:
    lines = ledger(6)
    middle = Head(3, lines[2][:64])
    assert list(followed(middle, lines[3:]))[-1] == Head(6, lines[-1][:64])
    with pytest.raises(LedgerBroken, match="entry 4"):
        list(followed(middle, lines[4:]))
