"""Two themes in one hand: dark and light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Theme = Literal["light", "dark"]

_FONT: Final = "Inter, system-ui, sans-serif"
"""Names without quotes: else widths are taken from another font, and there is room left over."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme, by what they are for."""

    card: str
    ink: str
    soft: str
    line: str
    off: str
    warm: str
    accent: str

    @property
    def bands(self) -> list[str]:
        """The colours of what is not linked, for people, and linked."""
        return [self.off, self.warm, self.accent]

    @property
    def config(self) -> dict[str, Any]:
        """The theme as Vega-Lite reads it."""
        return {
            "background": self.card,
            "font": _FONT,
            "padding": 16,
            "view": {"stroke": None},
            "axis": {
                "domainColor": self.soft,
                "grid": False,
                "gridColor": self.line,
                "labelColor": self.soft,
                "labelFlush": False,
                "labelFontSize": 12,
                "labelPadding": 5,
                "tickColor": self.soft,
                "titleColor": self.soft,
                "titleFontSize": 13,
                "titleFontWeight": "normal",
                "titlePadding": 10,
                "zindex": 0,
            },
            "text": {"color": self.ink, "fontSize": 13},
        }


PALETTES: Final[Mapping[Theme, Palette]] = {
    "light": Palette(
        card="#ffffff",
        ink="#1c2024",
        soft="#656b73",
        line="#e2dfd7",
        off="#cfcbc1",
        warm="#c47a1b",
        accent="#1f5f8b",
    ),
    "dark": Palette(
        card="#1d2024",
        ink="#e7e6e1",
        soft="#9aa1a9",
        line="#31363c",
        off="#474d55",
        warm="#e3ab5f",
        accent="#7db8e0",
    ),
}
