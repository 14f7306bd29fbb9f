"""What is remembered: a Django app for the database, and the vault for values.

``models``
    the tables of the database; no personal value stands in any of them.
``keys``
    the keys of projects and of the installation, in a folder of their own.
``vault``
    encrypted tables; with uploads, the only place where values are at rest.
``uploads``
    uploaded files, sealed while they stream in, opened in memory alone.
``lock``
    one work on a project's vault at a time.
``disk``
    folders for their owner alone, and names that are safe on the disk.
``ledger``
    the only writer of the ledgers.
``signatures``
    heads of ledgers, signed by a key of the key folder.
``assignments``
    the only writer of assignments.
``queries``
    what screens, reports and services read.
``faults``
    named points at which a test ends the process.
"""
