"""The bill of materials lists what the lock file pins; known vulnerabilities of it are found."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from supply import audit
from supply.bill_of_materials import RUN, bill_of_materials
from supply.lock_files import Pinned, pinned_packages


def advisory(name: str, *events: dict[str, str], **more: Any) -> dict[str, Any]:
    ranges = [{"type": "ECOSYSTEM", "events": list(events)}]
    package = {"ecosystem": "PyPI", "name": name}
    return {"id": "PYSEC-1", "affected": [{"package": package, "ranges": ranges}], **more}


def test_the_bill_lists_every_pinned_package_with_its_hashes() -> None:
    packages = pinned_packages(RUN)
    pinned = [
        line
        for line in RUN.read_text(encoding="utf-8").splitlines()
        if "==" in line and not line.startswith((" ", "#"))
    ]
    assert len(packages) == len(pinned) > 30
    assert all(each.hashes for each in packages)
    made = bill_of_materials("1.0", packages)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert {"pkg:pypi/django", "pkg:pypi/cryptography"} <= {
        each["purl"].partition("@")[0] for each in made["components"]
    }
    assert made == bill_of_materials("1.0", packages), "the same lock file, the same bill"
    assert made["serialNumber"] != bill_of_materials("1.1", packages)["serialNumber"]


@pytest.mark.parametrize(
    ("version", "fixed"), [("0.9", []), ("1.0", ["2.0"]), ("1.9.1", ["2.0"]), ("2.0", [])]
)
def test_a_version_within_a_range_is_found(version: str, fixed: list[str]) -> None:
    known = [advisory("Some_Package", {"introduced": "1.0"}, {"fixed": "2.0"})]
    packages = [Pinned("some-package", version), Pinned("other", "1.5")]
    told = audit.findings(packages, known)
    assert [each.fixed for each in told] == fixed


def test_ranges_have_other_ends_too() -> None:
    packages = [Pinned("some", "1.5")]
    first = advisory("some", {"introduced": "0"}, {"last_affected": "1.5"})
    assert [each.fixed for each in audit.findings(packages, [first])] == [""]
    past = advisory("some", {"introduced": "0"}, {"last_affected": "1.4"})
    listed = advisory("some")
    listed["affected"][0]["versions"] = ["1.5"]
    elsewhere = advisory("some", {"introduced": "0"})
    elsewhere["affected"][0]["package"]["ecosystem"] = "npm"
    taken_back = advisory("some", {"introduced": "0"}, withdrawn="2026-01-01")
    for known, count in ((past, 0), (listed, 1), (elsewhere, 0), (taken_back, 0)):
        assert len(audit.findings(packages, [known])) == count


def test_a_database_is_a_folder_a_zip_or_a_url(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text("some==1.5 \\\n    --hash=sha256:" + "0" * 64 + "\n", encoding="utf-8")
    folder = tmp_path / "advisories"
    folder.mkdir()
    assert audit.main(str(folder), str(lock)) == 2, "an empty database shows nothing"
    (folder / "a.json").write_text(
        json.dumps(advisory("some", {"introduced": "0"}, {"fixed": "1.6"})), encoding="utf-8"
    )
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.write(folder / "a.json", "a.json")
    for place in (str(folder), str(archive), archive.as_uri()):
        assert audit.main(place, str(lock)) == 1
        assert "some 1.5 (lock.txt): PYSEC-1, fixed in 1.6" in capsys.readouterr().out
    lock.write_text("some==1.6\n", encoding="utf-8")
    assert audit.main(str(folder), str(lock)) == 0
