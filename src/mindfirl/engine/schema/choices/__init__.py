"""What a person chooses for each column of the databases that come in, and the schema it makes."""
