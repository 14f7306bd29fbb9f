"""Does a text repeat a value? One answer, for comments on pairs and for files to be released.

A value leaves traces: words, numbers, dates. A text is read once, in its normal form, and searched
for the traces of one value after another. ``Thresholds`` states how short a trace may be.
"""
