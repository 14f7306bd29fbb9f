"""Schema files: what the columns of all databases are, and how they are compared."""

from mindfirl.engine.schema.schema_files.schema_file import (
    COARSENINGS,
    AttributeRole,
    Coarsening,
    Column,
    SchemaFile,
    SensitiveColumn,
)
from mindfirl.engine.schema.schema_files.schema_parser import parse_schema, read_schema
from mindfirl.engine.schema.schema_files.schema_writer import write_schema

__all__ = [
    "COARSENINGS",
    "AttributeRole",
    "Coarsening",
    "Column",
    "SchemaFile",
    "SensitiveColumn",
    "parse_schema",
    "read_schema",
    "write_schema",
]
