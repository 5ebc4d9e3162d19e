"""Hand-made example scenes: one table of each game in a state that shows what is special about it."""

from __future__ import annotations

from bidtrick.envs.rendering import (
    DEALER,
    DECLARER,
    FOREHAND,
    OUT,
    TO_ACT,
    YOU,
    AuctionLine,
    CardFace,
    Contract,
    Pile,
    Scene,
    ScoreRow,
    SeatScene,
    TrickCard,
)

SWISS = "6789BUOKA"
THOUSAND = ("9", "J", "Q", "K", "10", "A")
FRENCH = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = {"s": "spades", "h": "hearts", "c": "clubs", "d": "diamonds"}
SUITS |= {"E": "eichel", "R": "rosen", "L": "schilten", "S": "schellen", "*": "joker"}


def card(code: str, *, legal: bool = False) -> CardFace:
    """``"hK"`` is the king of hearts, ``"EO"`` the Ober of Eichel, ``"*HJ"`` the high joker."""
    suit, rank = SUITS[code[0]], code[1:]
    if code[0] in "ERLS":
        key = SWISS.index(rank)
    elif code[0] == "*":
        key = int(rank == "HJ")
    else:
        key = FRENCH.index(rank)
    return CardFace(rank, suit, key, legal)


def hand(codes: str, legal: str = "") -> tuple[CardFace, ...]:
    """Cards from codes separated by blanks; those that also stand in `legal` are marked."""
    return tuple(card(code, legal=code in legal.split()) for code in codes.split())


def schieber_trick() -> Scene:
    """Schieber, trick 4: Schilten is trump after a push, a ruff is winning, it is our turn."""
    return Scene(
        title="Schieber",
        subtitle="hand 3 · target 3000 · rules: source",
        seats=(
            SeatScene(
                "Anna",
                "North/South",
                hand("LU L6 EK E7 R9 R8", "LU EK E7"),
                True,
                badges=(YOU, TO_ACT),
                tricks=0,
            ),
            SeatScene("Beat", "East/West", hand("LA EA LB LK S6"), badges=(DEALER,), tricks=1),
            SeatScene(
                "Cécile", "North/South", hand("L8 SK SB EU E6"), badges=(FOREHAND,), tricks=1, bubble="push"
            ),
            SeatScene("Dominik", "East/West", hand("L9 RA RK RO S9"), tricks=1, bubble="Weis 20"),
        ),
        bottom_seat=0,
        direction="counterclockwise",
        phase="trick 4 of 9",
        prompt="Anna, play a card (Eichel led, ruffed by ⛨7)",
        contract=Contract("Schilten ×2", "schilten", "chosen by Anna after Cécile pushed"),
        auction=(AuctionLine(2, ("push",)), AuctionLine(0, ("Schilten",))),
        trick=(
            TrickCard(1, card("E9")),
            TrickCard(2, card("EO")),
            TrickCard(3, card("L7"), winning=True),
        ),
        last_trick=(
            TrickCard(3, card("SU")),
            TrickCard(0, card("S8")),
            TrickCard(1, card("SA"), winning=True),
            TrickCard(2, card("S7")),
        ),
        last_trick_note="13 × 2 = 26 for East/West",
        piles=(Pile("Weis of Dominik", hand("RA RK RO"), note="20 × 2"),),
        score_columns=("match", "hand"),
        score_rows=(
            ScoreRow("North/South", ("1184", "38"), highlight=True),
            ScoreRow("East/West", ("1342", "98")),
        ),
        events=(
            "Cécile pushes to Anna",
            "Anna chooses ⛨ Schilten",
            "Weis: East/West score 20 × 2 = 40",
            "Cécile takes trick 1 (19 points)",
            "Dominik takes trick 2 (16 points)",
            "Beat takes trick 3 with ⊖A (13 points)",
            "Beat leads ⚲9",
            "Dominik ruffs with ⛨7",
        ),
        footer="Stöck not yet shown · seed 7, game 12, hand 3",
    )


def schieber_bidding() -> Scene:
    """Schieber, choosing the contract: we were pushed to."""
    mine = hand("EA EK EO E9 RA RB SB S9 L6")
    return Scene(
        title="Schieber",
        subtitle="hand 1 · target 3000 · rules: source",
        seats=(
            SeatScene("Anna", "North/South", face_down=9, badges=(FOREHAND,), bubble="push", tricks=0),
            SeatScene("Beat", "East/West", face_down=9, tricks=0),
            SeatScene("Cécile", "North/South", mine, True, badges=(YOU, TO_ACT), tricks=0),
            SeatScene("Dominik", "East/West", face_down=9, badges=(DEALER,), tricks=0),
        ),
        bottom_seat=2,
        direction="counterclockwise",
        phase="contract",
        prompt="Cécile, choose: ⚲ ×1, ✿ ×1, ⛨ ×2, ⊖ ×2, Obenabe ×3 or Undenufe ×4",
        auction=(AuctionLine(0, ("push",)), AuctionLine(2, ())),
        score_columns=("match", "hand"),
        score_rows=(ScoreRow("North/South", ("0", "0"), highlight=True), ScoreRow("East/West", ("0", "0"))),
        events=("Anna holds ✿7 and is forehand", "Anna pushes to Cécile"),
    )


def thousand_talon() -> Scene:
    """Thousand for three: the talon lies open, bolts and a barrel on the sheet, marriages named in notes."""
    return Scene(
        title="Thousand",
        subtitle="deal 14 · 3 players · rules: mailru",
        seats=(
            SeatScene(
                "Виктор",
                hand=hand("sA sK sQ h10 hQ dA cJ"),
                show_hand=True,
                badges=(YOU, DECLARER, TO_ACT),
                bubble="130",
                tricks=0,
                note="♠ marriage 40",
            ),
            SeatScene("Galina", face_down=7, badges=(DEALER,), bubble="pass", tricks=0, note="on the barrel"),
            SeatScene("Oleg", face_down=7, badges=(FOREHAND,), bubble="pass", tricks=0),
        ),
        direction="clockwise",
        phase="talon shown",
        prompt="Виктор, take the talon (three cards)",
        contract=Contract("130", None, "bought by Виктор; trump: none yet"),
        auction=(
            AuctionLine(2, ("100", "110", "120", "pass")),
            AuctionLine(0, ("105", "115", "125", "130")),
            AuctionLine(1, ("pass",)),
        ),
        piles=(Pile("Talon", hand("hK d10 c9"), note="14 points", center=True),),
        score_columns=("total", "deal 13", "bolts", "barrel", "falls"),
        score_rows=(
            ScoreRow("Виктор", ("645", "+120", "1/3", "–", "0"), highlight=True),
            ScoreRow("Galina", ("880", "0", "0/3", "2 of 3", "1")),
            ScoreRow("Oleg", ("-215", "-120", "2/3", "–", "0")),
        ),
        events=(
            "Deal 12: Galina mounts the barrel (880)",
            "Deal 13: third bolt of Oleg, 120 off",
            "Oleg opens with 100",
            "Galina passes",
            "Виктор bids 130, Oleg passes",
            "The talon shows ♥K ♦10 ♣9: a ♥ marriage for Виктор",
        ),
        footer="cap of Виктор before the talon: 160",
    )


def pitch_five() -> Scene:
    """Pitch for five: called partner still secret, two players out, burned cards, rest of the blind."""
    return Scene(
        title="10-point Pitch",
        subtitle="five-handed · to 52",
        seats=(
            SeatScene(
                "Mary-Lou",
                hand=hand("hA h9 h4 *LJ", "hA h9 h4 *LJ"),
                show_hand=True,
                badges=(YOU, TO_ACT),
                tricks=1,
            ),
            SeatScene("Hank", face_down=3, badges=("bidder",), bubble="6, hearts", tricks=1, note="4 points"),
            SeatScene("Jo", badges=(OUT,), tricks=0),
            SeatScene("Theodore Bartholomew III", face_down=3, badges=(DEALER,), tricks=0),
            SeatScene("Wu", badges=(OUT,), tricks=0),
        ),
        direction="clockwise",
        phase="trick 3 of 6",
        prompt="Mary-Lou, play any trump (2 of 5 are out)",
        contract=Contract("6 points", "hearts", "bid by Hank, who called ★HJ; partner not yet known"),
        auction=(
            AuctionLine(4, ("pass",)),
            AuctionLine(0, ("4",)),
            AuctionLine(1, ("6",)),
            AuctionLine(2, ("pass",)),
            AuctionLine(3, ("pass",)),
        ),
        trick=(TrickCard(1, card("h10")), TrickCard(3, card("dJ"), winning=True)),
        last_trick=(
            TrickCard(0, card("h7")),
            TrickCard(1, card("hQ"), winning=True),
            TrickCard(2, card("h5")),
            TrickCard(3, card("h3")),
        ),
        last_trick_note="3 points for Hank's side",
        piles=(
            Pile("Blind, dead", face_down=3),
            Pile("Burned", hand("h8 h6"), note="by Hank"),
        ),
        score_columns=("total", "hand"),
        score_rows=(
            ScoreRow("Mary-Lou", ("31", "1"), highlight=True),
            ScoreRow("Hank", ("27", "4")),
            ScoreRow("Jo", ("-6", "0")),
            ScoreRow("Theodore Bartholomew III", ("44", "0")),
            ScoreRow("Wu", ("12", "1")),
        ),
        events=(
            "Hank names ♥ and calls ★HJ",
            "Hank takes the blind and burns ♥8 ♥6",
            "Wu wins nothing and is out",
            "Hank takes trick 2 with ♥Q",
            "Jo is out",
            "Hank leads ♥10",
        ),
    )


EXAMPLES = {
    "schieber_trick": schieber_trick,
    "schieber_bidding": schieber_bidding,
    "thousand_talon": thousand_talon,
    "pitch_five": pitch_five,
}
