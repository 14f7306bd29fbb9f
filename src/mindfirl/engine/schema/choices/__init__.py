"""What a person chooses for each column of the databases that come in, and the schema it makes."""

from mindfirl.engine.schema.choices.building import schema_from_choices
from mindfirl.engine.schema.choices.choice import ColumnChoice, ColumnChoices
from mindfirl.engine.schema.choices.offered import offered_choices

__all__ = ["ColumnChoice", "ColumnChoices", "offered_choices", "schema_from_choices"]
