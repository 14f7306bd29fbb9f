"""The engine: data frames and files, turned into what the core works on."""
