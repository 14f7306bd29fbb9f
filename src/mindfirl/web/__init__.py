"""The product in a browser: server-rendered pages, one stylesheet, small scripts.

``http`` is what every request meets, ``page`` what pages of several stages share. Each other
package is a stage, or accounts, projects, the ledger or the first page, with its views, forms, page
objects and templates. ``routes`` is the table of all addresses; a route has the name of its view.
"""
