"""Charts as SVG, drawn here: no browser, no script, nothing from elsewhere.

Every chart comes with a title, a description in words and its figures as a table.
"""

from mindfirl.engine.charts.burden_chart import BurdenPoint, burden_chart
from mindfirl.engine.charts.chart import Chart
from mindfirl.engine.charts.frontier_chart import frontier_chart
from mindfirl.engine.charts.quality_chart import QualityPoint, precision_recall
from mindfirl.engine.charts.theme import Theme
from mindfirl.engine.charts.weight_chart import weight_histogram

__all__ = [
    "BurdenPoint",
    "Chart",
    "QualityPoint",
    "Theme",
    "burden_chart",
    "frontier_chart",
    "precision_recall",
    "weight_histogram",
]
