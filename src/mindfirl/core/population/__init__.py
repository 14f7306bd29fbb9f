"""The population: a bitmap index over all records X, and how many of them fit what a row shows.

``bits``
    packed bitmaps over records: intersect, count, test.
``conditions``
    what can be asked of a record, and the set of records that fit several conditions.
``values``
    the distinct values of an attribute, character by character.
``column``
    the index of one attribute: who holds which value, length, character.
``index``
    all attributes together: what a row's cells say about a record, and who is still possible.
``arrays``
    an index as plain arrays, to be kept and found again.
"""
