"""Charts as SVG, drawn here: no browser, no script, nothing from elsewhere."""

from typing import Literal

Theme = Literal["light", "dark"]
