"""Charts as SVG, drawn here: no browser, no script, nothing from elsewhere.

Every chart comes with a title, a description in words and its figures as a table.
"""

from mindfirl.engine.charts.burden import BurdenPoint, burden_curve
from mindfirl.engine.charts.drawing import Chart
from mindfirl.engine.charts.frontier import frontier_chart
from mindfirl.engine.charts.histogram import weight_histogram
from mindfirl.engine.charts.quality import QualityPoint, precision_recall
from mindfirl.engine.charts.theme import Theme

__all__ = [
    "BurdenPoint",
    "Chart",
    "QualityPoint",
    "Theme",
    "burden_curve",
    "frontier_chart",
    "precision_recall",
    "weight_histogram",
]
