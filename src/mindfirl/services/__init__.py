"""One module per stage. Stages never import each other: they meet in the store.

``installation``
    the folders and the database; what is wrong with them.
``projects``
    create and find projects.
``uploads``
    files that come in by the browser, and what their columns are to be.
``intake``
    databases in, identities and sensitive values apart.
``candidates``
    pairs found by scoring or brought from elsewhere, cut into three bands.
``jobs``
    long work, enqueued by people and done by the runner, once.
``upkeep``
    leftovers removed, files checked, keys changed.
"""
