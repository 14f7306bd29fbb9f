"""Read tables of records: files and SQL. Rows stream; errors name file, row, column and rule."""
