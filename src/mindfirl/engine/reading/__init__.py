"""Read tables of records: files and SQL. Rows stream; errors name file, row, column and rule.

``source``
    what every reader gives: the names of the columns, and batches of text columns.
``header``
    what a header may be.
``cells``
    typed cells to text, as the rest of the engine would write them.
``scan``
    one pass over the bytes of a text file: its encoding, and what must not be in it.
``archive``
    what a workbook unpacks to, looked at before it is unpacked.
``sheet_process``
    the process that reads a sheet, which a hostile workbook can end.
``delimited``, ``parquet``, ``excel``, ``sql``
    the readers.
``opening``
    which reader opens what; reading a whole table at once.
"""
