"""Countries in which a database may have been kept: headings, addresses, telephones, dates."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from string import ascii_uppercase, digits
from typing import Final, Literal

CountryCode = Literal["gb", "de", "fr", "es"]

COLUMNS: Final = (
    *("record_id", "full_name", "first_name", "surname", "birth_date", "sex", "address"),
    *("street", "postcode", "town", "telephone", "email"),
)
NAMES_AND_BIRTH: Final = ("record_id", "first_name", "surname", "birth_date", "sex")
DATE_PARTS: Final = ("birth_year", "birth_month", "birth_day")

_DIGIT: Final = "9"
_LETTER: Final = "A"


@dataclass(frozen=True, slots=True)
class Country:
    """``headings`` are those of ``COLUMNS``, and of ``DATE_PARTS`` for a date in three columns.

    In a pattern, 9 is any digit and A any letter. ``trunk`` is the digit before a telephone number
    that is dialled inside the country, in place of its ``prefix``.
    """

    tongue: str
    headings: tuple[str, ...]
    date_headings: tuple[str, str, str]
    date: str
    address: str
    street: str
    short_street: str
    postcode: str
    prefix: str
    trunk: str

    def heading(self, column: str) -> str:
        if column in DATE_PARTS:
            return self.date_headings[DATE_PARTS.index(column)]
        return self.headings[COLUMNS.index(column)]


COUNTRIES: Final[dict[CountryCode, Country]] = {
    "gb": Country(
        tongue="english",
        headings=COLUMNS,
        date_headings=DATE_PARTS,
        date="{day}/{month}/{year}",
        address="{street}, {town} {postcode}",
        street="{number} {name} Street",
        short_street="{number} {name} St",
        postcode="AA9 9AA",
        prefix="44",
        trunk="0",
    ),
    "de": Country(
        tongue="german",
        headings=(
            *("Patientennummer", "Name", "Vorname", "Nachname", "Geburtsdatum", "Geschlecht"),
            *("Anschrift", "Straße", "PLZ", "Ort", "Telefon", "E-Mail"),
        ),
        date_headings=("Geburtsjahr", "Geburtsmonat", "Geburtstag"),
        date="{day}.{month}.{year}",
        address="{street}, {postcode} {town}",
        street="{name}straße {number}",
        short_street="{name}str. {number}",
        postcode="99999",
        prefix="49",
        trunk="0",
    ),
    "fr": Country(
        tongue="french",
        headings=(
            *("id", "nom_complet", "prénom", "nom_de_famille", "date_de_naissance", "sexe"),
            *("adresse", "rue", "code_postal", "ville", "téléphone", "courriel"),
        ),
        date_headings=("année_naissance", "mois_naissance", "jour_naissance"),
        date="{day}/{month}/{year}",
        address="{street}, {postcode} {town}",
        street="{number} rue {name}",
        short_street="{number} r. {name}",
        postcode="99999",
        prefix="33",
        trunk="0",
    ),
    "es": Country(
        tongue="spanish",
        headings=(
            *("id", "nombre_completo", "nombre", "apellidos", "fecha_nacimiento", "sexo"),
            *("dirección", "calle", "código_postal", "ciudad", "teléfono", "correo"),
        ),
        date_headings=("año_nacimiento", "mes_nacimiento", "día_nacimiento"),
        date="{year}-{month}-{day}",
        address="{street}, {postcode} {town}",
        street="Calle {name} {number}",
        short_street="C. {name} {number}",
        postcode="99999",
        prefix="34",
        trunk="",
    ),
}


def fill_pattern(pattern: str, dice: Random) -> str:
    pools = {_DIGIT: digits, _LETTER: ascii_uppercase}
    return "".join(dice.choice(pools.get(sign, sign)) for sign in pattern)
