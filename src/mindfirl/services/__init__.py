"""One module per stage. Stages never import each other: they meet in the store.

``installation``
    the folders and the database; what is wrong with them.
``accounts``
    accounts invited, given new links, disabled and enabled.
``passwords``
    passwords chosen by a link that works once, or changed.
``second_factor``
    codes of an authenticator, and recovery codes.
``sign_in``
    signing in by password, and the sessions that this opens.
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
