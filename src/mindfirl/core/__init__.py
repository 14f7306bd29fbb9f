"""The pure core: functions on frozen values, in the order of the pipeline.

The nouns, in the words of the score's definition:

data set X
    every record of a project, M of them.
attribute
    a displayed column; D of them.
pair
    two different records that may be the same person.
row
    one record as shown in one pair; a display of n pairs has 2n rows.
cell
    one attribute of a pair, on both rows; it is opened for both at once.
level
    ``masked`` < ``partial`` < ``full``. A state is the level of every cell; it only rises.
k
    how many records of X could be the one on a row, given what the row shows.
κ (kappa)
    the smallest k that is allowed.
"""
