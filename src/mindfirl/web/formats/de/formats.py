"""Days as they are written in German: in digits, with the day first."""

from __future__ import annotations

from typing import Final

DATE_FORMAT: Final = "d.m.Y"
SHORT_DATE_FORMAT: Final = "d.m.Y"
TIME_FORMAT: Final = "H:i"
DATETIME_FORMAT: Final = "d.m.Y H:i"
SHORT_DATETIME_FORMAT: Final = "d.m.Y H:i"
