"""One module per stage. Stages never import each other: they meet in the store.

``installation``
    the folders and the database; what is wrong with them.
``projects``
    create and find projects.
``intake``
    databases in, identities and sensitive values apart.
``candidates``
    pairs found by scoring or brought from elsewhere, cut into three bands.
``upkeep``
    leftovers removed, files checked, keys changed.
"""
