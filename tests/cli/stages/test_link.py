"""``mindfirl link`` with a specification, as a person would type it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.upkeep.test_user import done, run
from tests.support.reviews import make_study


def test_a_linkage_is_specified_and_checked(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    done("init", "--administrator", "boss")
    make_study(tmp_path)
    file = tmp_path / "linkage.json"
    done("link", "study", "--unsettled", "--specification", str(file))
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["thresholds"] == {"lower": -5.0, "upper": 5.0}
    assert "Identical" in done("link", "study", "--check", str(file))
    done("pairs", "bands", "study", "--lower", "-1", "--upper", "1")
    refused = run("link", "study", "--check", str(file))
    assert refused.exit_code == 2
    assert "thresholds" in refused.stderr
