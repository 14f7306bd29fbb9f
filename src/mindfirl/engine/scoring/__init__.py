"""How likely two records are of one person: the only door to Splink.

A blocking *rule* names attributes that must agree for a pair to be compared at all. A *comparison*
puts what two values have in common on a *level*, from missing and different up to identical. The
*model* says how much each level weighs. An *engine* is where the comparing is done.
"""
