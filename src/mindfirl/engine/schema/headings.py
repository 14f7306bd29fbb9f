"""What the heading of a column says about it: its role, and the attribute that it holds."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from mindfirl.core.values.schema import Kind

Role = Literal["record id", "identifier", "quasi-identifier", "sensitive", "ignored"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a heading means: a role, and for what is displayed an attribute and its kind."""

    role: Role
    attribute: str = ""
    kind: Kind | None = None


_ATTRIBUTES: Final[dict[tuple[Role, str, Kind], str]] = {
    ("identifier", "first_name", "string"): "first firstname first_name fname given given_name "
    "givenname forename christian_name vorname rufname prenom voornaam",
    ("identifier", "middle_name", "string"): "middle middle_name middlename mname",
    ("identifier", "last_name", "string"): "last lastname last_name lname surname family_name "
    "familyname family nachname familienname zuname nom_de_famille achternaam apellido apellidos",
    ("identifier", "name", "string"): "name full_name fullname patient_name person",
    ("identifier", "number", "fixed"): "ssn social_security social_security_number soc_sec_id sin "
    "nhs_number national_id insurance_number passport social_security_no number "
    "versichertennummer versicherungsnummer krankenversichertennummer kvnr",
    ("identifier", "phone", "fixed"): "phone telephone tel mobile cell phone_number telefon "
    "telefonnummer handy",
    ("identifier", "email", "string"): "email e_mail mail",
    ("identifier", "street", "string"): "street address address_1 address1 addr street_name "
    "strasse anschrift adresse",
    ("identifier", "address", "string"): "address_2 address2",
    ("identifier", "street_number", "string"): "street_number house_number street_no house_no "
    "hausnummer hausnr",
    ("quasi-identifier", "birth_date", "date"): "dob birth_date birthdate date_of_birth born "
    "birthday bdate geburtsdatum geburtstag gebdatum geb date_naissance date_de_naissance "
    "fecha_nacimiento fecha_de_nacimiento geboortedatum",
    ("quasi-identifier", "age", "fixed"): "age age_years",
    ("quasi-identifier", "city", "string"): "city suburb town place municipality "
    "ort wohnort stadt gemeinde ville ciudad woonplaats",
    ("quasi-identifier", "zip", "fixed"): "zip zipcode zip_code postcode postal_code plz post_code "
    "postleitzahl code_postal codigo_postal",
    ("quasi-identifier", "state", "category"): "state province region county bundesland",
    ("quasi-identifier", "sex", "category"): "sex gender geschlecht sexe sexo geslacht",
    ("quasi-identifier", "race", "category"): "race ethnicity ethnic_group ethnic",
}
_RECORD_IDS: Final = (
    "id rec_id record_id recordid record_no record_number row_id uid uuid key patient_id patid "
    "person_id pid case_id unique_id mrn no nr patientennummer fallnummer"
)
_SENSITIVE: Final = (
    "diagnosis diagnoses dx icd icd10 disease condition site stage grade tumour tumor treatment "
    "therapy medication drug result outcome income salary wage benefit education religion notes "
    "note comment comments remarks remark text admitted admission discharge visit death cause "
    "hiv test score cost charge symptom allergy cancer surgery procedure prescription medicine "
    "vaccine dose lab pregnancy "
    "diagnose diagnosen befund therapie medikament behandlung stadium todesursache einkommen "
    "bemerkung bemerkungen diagnostic diagnostico traitement"
)
_IGNORED: Final = "blocking blocking_number block row_number rownum index unnamed"
"""What a program wrote for itself says nothing about a person."""

MEANINGS: Final[dict[str, Meaning]] = {
    **{word: Meaning("ignored") for word in _IGNORED.split()},
    **{word: Meaning("sensitive") for word in _SENSITIVE.split()},
    **{word: Meaning("record id") for word in _RECORD_IDS.split()},
    **{
        word: Meaning(role, attribute, kind)
        for (role, attribute, kind), words in _ATTRIBUTES.items()
        for word in words.split()
    },
}


BIRTH_DATE: Final = MEANINGS["birth_date"]


def plain(heading: str) -> str:
    """Return a heading as the name of an attribute: small letters, digits and low lines."""
    return re.sub(r"\W+", "_", heading.strip().lower()).strip("_") or "column"


def meaning(heading: str) -> Meaning | None:
    """Say what a heading means, if it is a known one: as a whole, or by its last known word.

    A sensitive word wins wherever it stands: the name of a drug is about the drug.
    """
    words = _words(heading)
    if any(_is_sensitive(word) for word in words):
        return Meaning("sensitive")
    if (whole := "_".join(words)) in MEANINGS:
        return MEANINGS[whole]
    known = [MEANINGS[word] for word in words if word in MEANINGS and word not in ("no", "number")]
    return known[-1] if known else None


def says_birth(heading: str) -> bool:
    """Say whether a heading is about a birth, in words that need not be known otherwise."""
    return not {"birth", "born"}.isdisjoint(_words(heading))


def _words(heading: str) -> list[str]:
    """Return the words of a heading, which low lines, spaces or capitals tell apart.

    Accents are left off: ``Prénom`` is looked up as ``prenom``, ``Straße`` as ``strasse``.
    """
    heading = "".join(
        each for each in unicodedata.normalize("NFKD", heading) if not unicodedata.combining(each)
    )
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", heading)
    return re.findall(r"[a-z0-9]+", spaced.casefold())


def _is_sensitive(word: str) -> bool:
    return any(
        each in MEANINGS and MEANINGS[each].role == "sensitive"
        for each in (word, word.removesuffix("s"))
    )
