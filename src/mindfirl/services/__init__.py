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
    create and find projects; what they are for, and who is in them.
``uploads``
    files that come in by the browser, and what their columns are to be.
``intake``
    databases in, identities and sensitive values apart.
``candidates``
    pairs found by scoring or brought from elsewhere, cut into three bands.
``planning``
    plans, as they were typed, checked and saved.
``estimates``
    what a plan asks of people, and what its budgets would buy.
``dispatch``
    pairs proposed, confirmed, and given out.
``assignments``
    assignments under way: paused, ended, raised, passed on.
``jobs``
    long work, enqueued by people and done by the runner, once.
``audit``
    whether a ledger holds, receipts of it, and all of it in one file.
``upkeep``
    leftovers removed, files checked, keys changed.
"""
