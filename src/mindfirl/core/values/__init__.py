"""Values: schema, standard forms, columns, dates."""
