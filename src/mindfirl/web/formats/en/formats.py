"""Days and times as ISO writes them: nobody takes a month for a day."""

from __future__ import annotations

from typing import Final

DATE_FORMAT: Final = "Y-m-d"
SHORT_DATE_FORMAT: Final = "Y-m-d"
TIME_FORMAT: Final = "H:i"
DATETIME_FORMAT: Final = "Y-m-d H:i"
SHORT_DATETIME_FORMAT: Final = "Y-m-d H:i"
