# %% [markdown]
# # From two files to a frontier chart
#
# How much accuracy does each budget of disclosure buy? This notebook takes two databases of
# synthetic people, finds pairs that are hard to decide, and draws the frontier: how many pairs are
# decided correctly at each privacy risk K. It needs no installation, only the package.
#
# Open it in an editor that knows cells (`# %%`), such as VS Code or Jupyter with jupytext, or run
# it: `python examples/frontier.py FOLDER`. The folder comes from
# `mindfirl synthetic FOLDER --people 2000 --look-alikes`.

# %%
import sys
from pathlib import Path

import altair as alt
import duckdb

import mindfirl as mf

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "made")

# %% [markdown]
# ## Read the two files
#
# The files have different headings. One query gives their columns the same names and puts the
# records under each other; `place` is the position of a record in the population.

# %%
database = duckdb.connect()
records = database.sql(f"""
    create table records as
    select row_number() over () - 1 as place, * from (
        select patient_id as id, first_name as first, last_name as last, birth_date as born,
            ssn, zip, sex
        from read_csv('{folder / "hospital.csv"}', all_varchar = true)
        union all
        select record_no, given_name, surname, dob, social_security, postcode, gender
        from read_csv('{folder / "registry.csv"}', all_varchar = true)
    );
    from records order by place
""").arrow()

schema = mf.Schema(
    [
        mf.Attribute("first", kind="string"),
        mf.Attribute("last", kind="string"),
        mf.Attribute("born", kind="date"),
        mf.Attribute("ssn", kind="fixed"),
        mf.Attribute("zip", kind="fixed"),
        mf.Attribute("sex", kind="category"),
    ],
    case="upper",
    swap_groups=[("first", "last")],
)
population = mf.Population(schema, records)
print(population)

# %% [markdown]
# ## Find pairs that are hard to decide
#
# Pairs of records that agree on one to three attributes exactly could be one person or two people
# of one family. The truth file says which they are. In a real project, MINDFIRL's match weights
# choose the pairs, and reviewed pairs give the answers.

# %%
pairs = database.sql(f"""
    with compared as (
        select a.place as l, b.place as r, a.id as left_id, b.id as right_id,
            (a.first = b.first)::int + (a.last = b.last)::int + (a.ssn = b.ssn)::int
            + (a.zip = b.zip)::int + (a.sex = b.sex)::int as agreed
        from records a join records b
            on a.id like 'h%' and b.id like 'r%'
            and (a.zip = b.zip or a.last = b.last or a.ssn = b.ssn)
    )
    select l, r, t.left is not null as same
    from compared
    left join read_csv('{folder / "truth.csv"}', all_varchar = true) t
        on t.left = left_id and t.right = right_id
    where agreed between 1 and 3
    order by l, r
    limit 500
""").fetchall()
shown = [population.pair(left, right) for left, right, _same in pairs]
same = [answer for _left, _right, answer in pairs]
print(f"{len(pairs)} pairs, {sum(same)} of them one person")

# %% [markdown]
# ## See one of them as a worker does
#
# Masked first, then what opening its cells would cost.

# %%
differences = population.differences(shown[0])
for name, difference in differences.items():
    print(f"{name:<6}", *(f"{text:<14}" for text in difference.show("masked")))
for step, price in population.prices(shown[0], {}, pairs=len(shown)).items():
    print(step, "refused" if price is None else f"{float(price):.5%}")

# %% [markdown]
# ## Forecast what budgets buy
#
# The machine reviewer sees what a person would see and learns from the known answers, tested on
# people it did not learn from. How often people slip is a model from published studies.

# %%
forecast = population.forecast(shown, same)
band = forecast.band
enough = band.recommended(of_people=True)
print(f"masked: {band.masked.people:.1%} right; everything shown: {band.full.people:.1%}")
print(f"within one point of that at K = {enough.budget:.2%}: {enough.people:.1%} right")

# %% [markdown]
# ## Draw the frontier

# %%
points = [
    {"K": point.budget, "right": right, "who": who}
    for point in (band.masked, *band.frontier, band.full)
    for who, right in (("machine reviewer", point.accuracy), ("people", point.people))
]
chart = (
    alt.Chart(alt.InlineData(values=points), title="What a budget buys")
    .mark_line(point=True)
    .encode(
        x=alt.X("K:Q", axis=alt.Axis(format="%"), title="privacy risk K").scale(
            type="symlog", constant=0.005
        ),
        y=alt.Y("right:Q", axis=alt.Axis(format="%"), title="decided correctly").scale(zero=False),
        color=alt.Color("who:N", title=None, legend=alt.Legend(orient="bottom")),
    )
    .properties(width=620, height=320)
)
chart.save(folder / "frontier.svg")
print(f"{folder / 'frontier.svg'}: the frontier")
