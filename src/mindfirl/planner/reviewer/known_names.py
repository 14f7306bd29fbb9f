"""What people know about names: short forms, and spellings that sound alike."""

from __future__ import annotations

from typing import Final

_SHORT_FORMS: Final = {
    "ALEXANDER": "ALEC ALEX SANDY XANDER",
    "ANDREW": "ANDY DREW",
    "ANTHONY": "TONY",
    "BARBARA": "BABS BARB BARBIE",
    "BENJAMIN": "BEN BENNY",
    "CATHERINE": "CATHY KATE KATIE KITTY",
    "CHARLES": "CHARLIE CHUCK",
    "CHRISTOPHER": "CHRIS KIT TOPHER",
    "DANIEL": "DAN DANNY",
    "DAVID": "DAVE DAVEY",
    "DEBORAH": "DEB DEBBIE",
    "DOROTHY": "DOLLY DOT DOTTIE",
    "EDWARD": "ED EDDIE NED TED TEDDY",
    "ELIZABETH": "BESS BETH BETSY BETTY ELIZA LIBBY LISA LIZ LIZZIE",
    "FRANCES": "FANNY FRAN FRANNIE",
    "FRANCIS": "FRANK FRANKIE",
    "GEORGE": "GEORGIE",
    "HENRY": "HAL HANK HARRY",
    "ISABELLA": "BELLA IZZY",
    "JACOB": "JAKE",
    "JAMES": "JAMIE JEM JIM JIMMY",
    "JENNIFER": "JEN JENNY",
    "JOHN": "JACK JOHNNY",
    "JONATHAN": "JON JONNY",
    "JOSEPH": "JOE JOEY",
    "JOSHUA": "JOSH",
    "KATHERINE": "KATE KATHY KATIE KAY KIT",
    "KENNETH": "KEN KENNY",
    "LAWRENCE": "LARRY",
    "MARGARET": "MADGE MAGGIE MEG PEG PEGGY RITA",
    "MARTHA": "MATTIE PATTY",
    "MARY": "MAMIE MOLLY POLLY",
    "MATTHEW": "MATT",
    "MICHAEL": "MICK MICKEY MIKE",
    "NATHANIEL": "NAT NATE",
    "NICHOLAS": "NICK NICKY",
    "PATRICIA": "PAT PATTY TRICIA TRISH",
    "PATRICK": "PADDY PAT",
    "PETER": "PETE",
    "PHILIP": "PHIL",
    "REBECCA": "BECCA BECKY",
    "RICHARD": "DICK RICH RICK",
    "ROBERT": "BOB BOBBY ROB ROBBIE",
    "RONALD": "RON RONNIE",
    "SAMUEL": "SAM SAMMY",
    "SARAH": "SADIE SALLY",
    "STEPHEN": "STEVE STEVIE",
    "STEVEN": "STEVE STEVIE",
    "SUSAN": "SUE SUSIE",
    "THEODORE": "TED TEDDY THEO",
    "THERESA": "TERRI TESS TRACY",
    "THOMAS": "TOM TOMMY",
    "TIMOTHY": "TIM TIMMY",
    "VICTORIA": "TORI VICKY",
    "WILLIAM": "BILL BILLY LIAM WILL WILLY",
    "ZACHARY": "ZACH ZACK",
}
_KNOWN: Final = frozenset(
    frozenset((name, short)) for name, forms in _SHORT_FORMS.items() for short in forms.split()
)
_ENDINGS: Final = ("IE", "Y", "I", "")
_LEAST: Final = 2
_CODES: Final = {
    letter: code
    for code, letters in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), start=1)
    for letter in letters
}


def is_short_form(one: str, other: str) -> bool:
    """Say whether one name is used for the other: Bob for Robert, Fredie for Frederic, F for Fred.

    A stem of the longer name, alone or with an ending of endearment, is a short form of it.
    """
    first, second = one.upper(), other.upper()
    if frozenset((first, second)) in _KNOWN:
        return True
    short, long = sorted((first, second), key=len)
    if long.startswith(short):
        return bool(short)
    return _is_stem(first, second) or _is_stem(second, first)


def _is_stem(short: str, name: str) -> bool:
    """Say whether a name begins with a short one without its ending; Katie is longer than Katy."""
    stems = (short.removesuffix(ending) for ending in _ENDINGS if short.endswith(ending))
    return any(len(stem) > _LEAST and name.startswith(stem) for stem in stems)


def sounds_like(one: str, other: str) -> bool:
    """Say whether two names sound alike: the same beginning, and the same consonants in a row."""
    return _sound(one) == _sound(other)


def _sound(name: str) -> tuple[str, tuple[int, ...]]:
    letters = [letter for letter in name.upper() if letter.isalpha()]
    codes = [_CODES.get(letter, 0) for letter in letters]
    heard = [
        code for code, before in zip(codes[1:], codes, strict=False) if code and code != before
    ]
    return "".join(letters[:1]), tuple(heard[:4])
