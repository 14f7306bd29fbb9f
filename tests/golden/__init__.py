"""Golden vectors: data files, each with a note of its origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_golden(name: str) -> dict[str, Any]:
    """Read a file of golden vectors."""
    text = (Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
