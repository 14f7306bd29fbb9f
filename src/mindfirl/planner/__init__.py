"""The machine reviewer: it sees what a state of a pair shows, and says how likely it is the same.

``sights``, ``known_names``
    what a drawn cell tells a reader, in numbers, and what people know about names.
``looks``
    many pairs at every level; cells that look the same have the same appearance.
``folds``, ``learning``, ``forest``, ``teaching``
    what labelled pairs teach, judged on people who were not learnt from.
``references``, ``policy``, ``walking``, ``fixed``
    how a hidden cell is imagined, which step that makes the best, and where the steps lead.
``judging``, ``forecasting``, ``made_up``, ``labelled``, ``habits``
    what that comes to within budgets; learnt from a project's pairs, or from made-up people.
``advice``
    the same policy, for a worker.
"""
