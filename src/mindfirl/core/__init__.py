"""The pure core: functions on frozen values, in the order of the pipeline.

In the words of the score's definition, the data set X is every record of a project, M of them; an
attribute is a displayed column, D of them; a pair is two different records that may be the same
person; a row is one record as shown in one pair, so a display of n pairs has 2n rows; a cell is one
attribute of a pair, on both rows, and is opened for both at once. Its level is ``masked`` <
``partial`` < ``full``; a state is the level of every cell, and only rises. k is how many records of
X could be the one on a row, given what it shows, and κ (kappa) the smallest k that is allowed.
"""
