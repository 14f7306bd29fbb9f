"""What the heading of a column says about it: its role, and the attribute that it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from mindfirl.core.values.comparable import Content, fold_accents
from mindfirl.core.values.composed import DatePart
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
    "givenname forename forenames christian_name vorname vornamen rufname prenom prenoms "
    "voornaam roepnaam "
    "nombre_de_pila nombres primer_nombre nome_proprio primeiro_nome imie imiona "
    "fornavn fornamn tilltalsnamn etunimi etunimet fornafn eiginnafn imya jmeno meno keresztnev "
    "prenume",
    ("identifier", "middle_name", "string"): "middle middle_name middlename mname segundo_nombre "
    "drugie_imie mellomnavn mellemnavn mellannamn otchestvo patronymic patronym ten_dem",
    ("identifier", "last_name", "string"): "last lastname last_name lname surname family_name "
    "familyname family nachname familienname zuname nom_de_famille nom_famille achternaam "
    "familienaam apellido apellidos primer_apellido cognome sobrenome apelido nazwisko "
    "efternavn etternavn efternamn sukunimi apellido_paterno eftirnafn kenninafn familiya "
    "prijmeni priezvisko vezeteknev nume_de_familie soyad soyadi",
    ("identifier", "last_name_2", "string"): "segundo_apellido apellido_materno second_surname "
    "second_last_name",
    ("identifier", "birth_name", "string"): "maiden_name birth_name geburtsname madchenname "
    "geb_name nom_de_naissance nom_naissance nom_de_jeune_fille geboortenaam meisjesnaam "
    "nazwisko_rodowe nazwisko_panienskie pikenavn flicknamn",
    ("identifier", "name", "string"): "name full_name fullname patient_name person vollname "
    "nom_complet nombre_completo nome_completo volledige_naam fuldt_navn fullt_navn ho_ten "
    "ho_va_ten fio",
    ("identifier", "number", "fixed"): "ssn social_security social_security_number soc_sec_id "
    "soc_sec_no sin "
    "nhs_number nhs_no nino national_id national_number insurance_number passport "
    "social_security_no number versichertennummer versicherungsnummer krankenversichertennummer "
    "kvnr sozialversicherungsnummer svnr ahv ahv_nr ahv_nummer nir numero_securite_sociale "
    "numero_de_securite_sociale niss rijksregisternummer bsn burgerservicenummer dni nif nie curp "
    "codice_fiscale cpf pesel nr_pesel personnummer fodselsnummer cpr cpr_nr cpr_nummer cprnr "
    "henkilotunnus hetu",
    ("identifier", "phone", "fixed"): "phone telephone tel mobile cell phone_number telefon "
    "telefonnummer telefonnr handy handynummer rufnummer mobil telephone_portable portable "
    "numero_de_telephone telefono movil telefoon telefoonnummer mobiel cellulare telefone "
    "gsm telemovel celular komorka nr_telefonu mobilnummer puhelin simi tfno tlf tlfn tfn sdt "
    "dien_thoai so_dien_thoai handphone telno phoneno phone_nbr",
    ("identifier", "email", "string"): "email e_mail mail courriel adresse_mail "
    "correo_electronico correo epost e_post sahkoposti eml email_address email_addr mail_address "
    "mail_addr netfang e_mail_adresse email_adresse mail_adresse mailadresse emailadresse "
    "e_mailadres emailadres mailadres adresse_electronique e_mailadresse",
    ("identifier", "street", "string"): "street address address_1 address1 addr addr1 "
    "street_name strasse anschrift adresse rue calle direccion domicilio straat straatnaam adres "
    "indirizzo "
    "rua morada endereco ulica ulitsa gade gate vej gata gatuadress adress osoite katuosoite str "
    "dia_chi heimilisfang utca cadde sokak",
    ("identifier", "address", "string"): "address_2 address2 addr2",
    ("identifier", "street_number", "string"): "street_number house_number street_no house_no "
    "hausnummer hausnr huisnummer numero_civico numero_de_rue nr_domu husnummer",
    ("quasi-identifier", "birth_date", "date"): "dob birth_date birthdate date_of_birth born "
    "birthday bdate geburtsdatum geburtstag gebdatum geb date_naissance date_de_naissance "
    "fecha_nacimiento fecha_de_nacimiento geboortedatum data_di_nascita data_nascita "
    "data_de_nascimento data_nascimento nascimento data_urodzenia fodselsdato fodselsdag "
    "fodselsdatum fodelsedatum fodelsedag syntymaaika birthdt bdt dtnasc "
    "date_naiss fec_nac f_nac fecha_nac f_nacimiento data_rozhdeniya ngay_sinh "
    "faedingardagur faedingardagsetning datum_narozeni dogum_tarihi",
    ("quasi-identifier", "birth_place", "string"): "birth_place birthplace place_of_birth "
    "birth_city geburtsort lieu_naissance lieu_de_naissance lugar_de_nacimiento geboorteplaats "
    "luogo_di_nascita luogo_nascita local_de_nascimento miejsce_urodzenia fodested fodselssted "
    "fodelseort",
    ("quasi-identifier", "age", "fixed"): "age age_years",
    ("quasi-identifier", "city", "string"): "city suburb town place municipality ort wohnort "
    "stadt gemeinde ville commune ciudad poblacion municipio localidad woonplaats plaats citta "
    "comune cidade localidade miasto miejscowosc poststed postort bynavn kommune kommun gorod "
    "kaupunki",
    ("quasi-identifier", "zip", "fixed"): "zip zipcode zip_code postcode postal_code plz post_code "
    "postleitzahl code_postal codigo_postal codice_postale postkode kod_pocztowy postnummer "
    "postnr postinumero postnumer pcode zipcd pstcd irsz psc ma_buu_dien",
    ("quasi-identifier", "state", "category"): "state province region county bundesland "
    "provincia provincie oblast tinh",
    ("quasi-identifier", "sex", "category"): "sex gender geschlecht sexe sexo geslacht sesso "
    "genere genero plec kjonn sukupuoli kyn pohlavi cinsiyet gioi_tinh gndr m_f",
    ("quasi-identifier", "race", "category"): "race ethnicity ethnic_group ethnic ethn race_code",
}
_WHOLE: Final[dict[str, str]] = {
    **dict.fromkeys(("nom",), "last_name"),
    **dict.fromkeys(("nombre", "nome"), "first_name"),
    **dict.fromkeys(("naam", "navn", "namn", "nimi"), "name"),
    **dict.fromkeys(("via",), "street"),
    **dict.fromkeys(("cp", "cap", "cep", "npa", "kod"), "zip"),
    **dict.fromkeys(("kon", "koen", "pol", "gt"), "sex"),
    **dict.fromkeys(("ho",), "last_name"),
    **dict.fromkeys(("ten", "ad", "adi", "nombre_pila"), "first_name"),
}
"""Words that mean an attribute as a whole heading, and too much else among other words."""

_RECORD_IDS: Final = (
    "id rec_id record_id recordid record_no record_number row_id uid uuid key patient_id patid "
    "person_id pid case_id unique_id mrn no nr patientennummer fallnummer lp lfd_nr"
)
_SENSITIVE: Final = (
    "diagnosis diagnoses dx icd icd10 disease condition site stage grade tumour tumor treatment "
    "therapy medication drug result outcome income salary wage benefit education religion notes "
    "note comment comments remarks remark text admitted admission discharge visit death cause "
    "hiv test score cost charge symptom allergy cancer surgery procedure prescription medicine "
    "vaccine dose lab pregnancy "
    "diagnose diagnosen befund therapie medikament behandlung stadium todesursache einkommen "
    "bemerkung bemerkungen todesdatum sterbedatum aufnahmedatum entlassungsdatum "
    "diagnostic diagnostico traitement deces revenu diagnosi diagnoza diagnos diagnosi leczenie "
    "tratamiento tratamento ingreso ingresos fallecimiento defuncion obito opname overlijden "
    "uwagi choroba zgon anmerkning behandling"
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
_WHOLE_MEANINGS: Final[dict[str, Meaning]] = {
    word: MEANINGS[attribute] for word, attribute in _WHOLE.items()
}
_RELATIONS: Final = (
    "relation relationship kinship verwandtschaft verwandtschaftsverhaltnis parente parentesco "
    "relatie"
)
"""How somebody is related to another person is the name of neither."""
_OTHERS: Final = (
    "employer company workplace mother father parent guardian spouse partner husband wife contact "
    "emergency doctor physician gp kin arbeitgeber firma mutter vater eltern arzt hausarzt "
    "ehepartner employeur entreprise mere pere conjoint medecin werkgever moeder vader huisarts "
    "empleador empresa madre padre conyuge medico mae pai mama papa modir fadir"
)
"""Words for somebody else than the person of a record."""
_RELATED, _OF_OTHERS = (frozenset(words.split()) for words in (_RELATIONS, _OTHERS))
_NUMBER_WORDS: Final = ("no", "nr", "number")
"""Words for a number, which say nothing beside another known word."""


_LONG: Final = {"nm": "name", "cd": "code", "dt": "date"}
"""Short words of databases, which stand in headings for whole ones."""

BIRTH_DATE: Final = MEANINGS["birth_date"]
EMAIL: Final = MEANINGS["email"]


def plain(heading: str) -> str:
    """Return a heading as the name of an attribute: small letters, digits and low lines."""
    return re.sub(r"\W+", "_", heading.strip().lower()).strip("_") or "column"


def meaning(heading: str) -> Meaning | None:
    """Say what a heading means, if it is a known one: as a whole, or by its last known word.

    A sensitive word wins wherever it stands: the name of a drug is about the drug. What a heading
    says of somebody else, such as an employer's street, is an attribute of its own.
    """
    words = _words(heading)
    if not _RELATED.isdisjoint(words):
        return None
    if any(_is_sensitive(word) for word in words):
        return Meaning("sensitive")
    number = _number_of(words)
    whole = "_".join(words)
    said = MEANINGS.get(whole) or _WHOLE_MEANINGS.get(whole)
    if said is None and number:
        stem = re.sub(r"_?[0-9]+$", "", whole)
        said = _numbered(MEANINGS.get(stem) or _WHOLE_MEANINGS.get(stem), number)
    said = said or _of_both(words) or _last_known(words)
    if said and said.attribute and whole not in MEANINGS and not _OF_OTHERS.isdisjoint(words):
        return replace(said, attribute=plain(heading))
    return said


def _of_both(words: Sequence[str]) -> Meaning | None:
    """Say what a column holds whose heading names two things that belong together.

    ``Name, Vorname`` is a whole name, ``Straße und Hausnummer`` a street. In ``NAME_FIRST`` the
    second word only says which name.
    """
    named = {said.attribute: phrase for phrase, said in _known_phrases(words)}
    if "first_name" in named:
        which = named["first_name"] in _WHICH_NAME
        if "last_name" in named or ("name" in named and not which):
            return MEANINGS["name"]
    elif "last_name" in named and not _WITH_LAST_NAME.isdisjoint(words):
        return MEANINGS["name"]
    return MEANINGS["street"] if {"street", "street_number"} <= named.keys() else None


_WHICH_NAME: Final = ("first", "given")
_WITH_LAST_NAME: Final = frozenset(("vor", "voor"))
"""What is left of a word for a first name, as in ``Vor- und Nachname``."""


def _known_phrases(words: Sequence[str]) -> Iterator[tuple[str, Meaning]]:
    """Return what is known in a heading from left to right, as many words together as can be."""
    start = 0
    while start < len(words):
        for end in range(len(words), start, -1):
            phrase = "_".join(words[start:end])
            if said := MEANINGS.get(phrase) or _WHOLE_MEANINGS.get(phrase):
                yield phrase, said
                break
        start = end


def _number_of(words: Sequence[str]) -> int:
    """Return the number at the end of a heading, as in ``apellido2``; 0 where there is none."""
    found = re.search(r"[0-9]+$", words[-1]) if words else None
    return int(found[0]) if found else 0


def _numbered(said: Meaning | None, number: int) -> Meaning | None:
    """Let a second or third column of its kind have an attribute of its own."""
    if said is None or not said.attribute:
        return None
    again = number in _AGAIN and said.kind == "string"
    return replace(said, attribute=f"{said.attribute}_{number}") if again else said


_AGAIN: Final = (2, 3)


def _last_known(words: Sequence[str]) -> Meaning | None:
    """Return what the last known words mean, as many of them as are known together."""
    for end in range(len(words), 0, -1):
        for start in range(end):
            if end - start == 1 and words[start] in _NUMBER_WORDS:
                continue
            if said := MEANINGS.get("_".join(words[start:end])):
                return said
    return MEANINGS["nr"] if "nr" in words else None


def content_of(attribute: str) -> Content:
    """Say what an attribute holds, by its name: a whole name, a postcode, a telephone number."""
    said = meaning(attribute)
    contents: dict[str, Content] = {"name": "full name", "zip": "postcode", "phone": "phone"}
    return contents.get(said.attribute if said else "", "text")


def is_personal(attribute: str) -> bool:
    """Say by an attribute's name whether relatives in one household differ in it."""
    said = meaning(attribute)
    return said is not None and said.attribute in _PERSONAL


def is_first_name(attribute: str) -> bool:
    """Say by an attribute's name whether it is a first name."""
    said = meaning(attribute)
    return said is not None and said.attribute == "first_name"


def is_whole_name(attribute: str) -> bool:
    """Say by an attribute's name whether it is a name with first name and surname."""
    said = meaning(attribute)
    return said is not None and said.attribute == "name"


def is_of_address(attribute: str) -> bool:
    """Say by an attribute's name whether it is part of an address."""
    said = meaning(attribute)
    return said is not None and said.attribute.removesuffix("_2") in _OF_ADDRESS


_OF_ADDRESS: Final = ("street", "street_number", "address", "city", "zip")
_PERSONAL: Final = ("first_name", "middle_name", "number", "birth_date")

_BIRTH: Final = frozenset(
    (
        *("birth", "born", "dob", "geb", "geburt", "naissance", "naiss", "nacimiento", "nac"),
        *("nascita", "nascimento", "nasc", "geboorte", "urodzenia", "ur"),
        *("fodsel", "fodelse", "fodt"),
    )
)
_BEFORE_PARTS: Final = ("geburts", "geboorte", "fodsels", "fodelse", "birth", "geb")
"""How a word about a birth begins that ends with a part of a date: ``Geburtsjahr``."""
_PARTS: Final[dict[str, DatePart]] = {
    **dict.fromkeys(("year", "yr", "yy", "yyyy", "y", "jahr", "annee", "an", "ano"), "year"),
    **dict.fromkeys(("anno", "jaar", "rok", "ar", "aar", "vuosi"), "year"),
    **dict.fromkeys(("month", "mon", "mth", "mm", "m", "monat", "mois", "mes", "mese"), "month"),
    **dict.fromkeys(("maand", "miesiac", "maned", "manad", "kuukausi"), "month"),
    **dict.fromkeys(("day", "dd", "d", "tag", "jour", "dia", "giorno", "dag", "dzien"), "day"),
    **dict.fromkeys(("paiva",), "day"),
}
_BIRTH_PARTS: Final[dict[str, DatePart]] = {
    **dict.fromkeys(("by", "yob", "byear", "jahrgang"), "year"),
    **dict.fromkeys(("bm", "mob", "bmonth"), "month"),
    **dict.fromkeys(("bd", "dob", "bday"), "day"),
}
"""Short words about a birth; ``dob`` is a day where its values are days, and else a date."""
_FILLERS: Final = frozenset(
    (
        *("of", "the", "de", "di", "du", "da", "do", "der", "die", "den"),
        *("date", "datum", "data", "fecha", "dato"),
    )
)


@dataclass(frozen=True, slots=True)
class PartHeading:
    """A heading that is about a part of a date: which part, whether of a birth, and of whose."""

    part: DatePart
    says_birth: bool
    others: tuple[str, ...]


def part_heading(heading: str) -> PartHeading | None:
    """Say of which part of which date a heading speaks, if it does."""
    words = _words(heading)
    plainly = [place for place, word in enumerate(words) if word in _PARTS]
    about_birth = [place for place, word in enumerate(words) if _part_of_birth(word)]
    place = next(iter([*plainly[-1:], *about_birth]), None)
    if place is None:
        return None
    rest = [word for word in (*words[:place], *words[place + 1 :]) if word not in _FILLERS]
    part = _PARTS.get(words[place]) or _part_of_birth(words[place])
    assert part
    return PartHeading(
        part,
        says_birth=not plainly or any(word in _BIRTH or _part_of_birth(word) for word in rest),
        others=tuple(word for word in rest if word not in _BIRTH and not _part_of_birth(word)),
    )


def _part_of_birth(word: str) -> DatePart | None:
    ends = (word.removeprefix(begin) for begin in _BEFORE_PARTS if word.startswith(begin))
    return _BIRTH_PARTS.get(word) or next((_PARTS[end] for end in ends if end in _PARTS), None)


def says_birth(heading: str) -> bool:
    """Say whether a heading is about a birth, in words that need not be known otherwise."""
    return not _BIRTH.isdisjoint(_words(heading))


def _words(heading: str) -> list[str]:
    """Return the words of a heading, which low lines, spaces or capitals tell apart.

    Accents are left off: ``Prénom`` is looked up as ``prenom``, ``Straße`` as ``strasse``.
    """
    heading = fold_accents(heading)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", heading)
    return [_LONG.get(word, word) for word in re.findall(r"[a-z0-9]+", spaced.casefold())]


def _is_sensitive(word: str) -> bool:
    return any(
        each in MEANINGS and MEANINGS[each].role == "sensitive"
        for each in (word, word.removesuffix("s"), word.rstrip("0123456789"))
    )
