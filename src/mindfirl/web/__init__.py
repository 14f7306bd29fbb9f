"""The door for browsers: HTTP alone, server-rendered pages, one small stylesheet.

``urls``
    every route, by the name it has in ``core.policy``.
``access``
    who is let in to a route, decided before its view is called.
``sessions``
    open sessions: idle and absolute timeouts, and accounts that were disabled.
``steps``
    the steps of setting up a project, beside each of their pages.
``forms``
    what can be typed, one module per stage.
``uploads``
    files on their way in, sealed piece by piece.
``columns_table``
    the columns of databases that come in, drawn.
``long_work``, ``templatetags``
    long work, as a page shows it.
``histogram``
    match weights, drawn.
``estimates``, ``terms``
    what budgets would buy, and the terms of a dispatch, in words.
``figures``
    figures as a page writes them.
``headers``
    what every answer says about caching, framing, and where content may come from.
``views``
    one module per stage.
"""
