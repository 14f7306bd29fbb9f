"""What a person chooses for each column of the databases that come in, and the schema it makes.

``described``
    what is chosen, as it was typed.
``offered``
    what stands in the form before anybody has chosen: the schema as it is, or the profile.
``checking``
    the rules that choices keep; what is wrong is told by field, all of it at once.
``building``
    choices to a schema file.
"""

from mindfirl.engine.schema.choices.building import schema_from_choices
from mindfirl.engine.schema.choices.choice import ColumnChoice, ColumnChoices
from mindfirl.engine.schema.choices.offered import offered_choices

__all__ = ["ColumnChoice", "ColumnChoices", "offered_choices", "schema_from_choices"]
