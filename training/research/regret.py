"""Regret: what recorded decisions cost, measured with open cards.

The regret of a decision is the value of the best legal action less that of the action taken, both by the game's judge
(`agents.search.<game>.judge`), who sees all cards and plays on as well as can be, as all others do. So it is not what a
player could have known: a good guess that fails has regret, and a game of cards is lost by chance too. Compared
between players on the same deals it says where, and how much, they give away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...agents.search.judge import NODES, DecisionJudge, decision_judge
from ...envs.core.errors import BidtrickError, RecordError
from ...envs.core.records import GameRecord
from ...envs.registry import replay, start_replay


@dataclass(frozen=True)
class Regret:
    """One decision with two legal actions or more.

    Attributes:
        record, hand, number: of the record, of the hand in it, and of the action in the record, from 1.
        seat, agent: who decided; "" if it is not known who sat there.
        phase: name. action, best: names of the action taken, and of the best one (the taken one if it is as good).
        value, best_value: points for the seat's side, counted as the judge's `units` say of the phase.
        exact: both are solved, not estimated.
    """

    record: int
    hand: int
    number: int
    seat: int
    agent: str
    phase: str
    action: str
    best: str
    value: float
    best_value: float
    exact: bool

    @property
    def regret(self) -> float:
        """What the decision cost, 0 or more."""
        return self.best_value - self.value

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "regret": self.regret}


@dataclass(frozen=True)
class Row:
    """The regret of a seat or agent in a phase, over many hands.

    Attributes:
        who, phase: "all" for all seats or agents. unit: what is counted.
        exact: these decisions are solved; those that are estimates have a row of their own.
        hands: over which the mean is taken. decisions: how many there were in them. best: share that cost nothing.
        mean, error: regret a hand, and its standard error over hands (nan for one hand).
    """

    who: str
    phase: str
    unit: str
    exact: bool
    hands: int
    decisions: int
    best: float
    mean: float
    error: float


def judge_record(
    record: GameRecord,
    number: int = 1,
    *,
    agents: Sequence[str] = (),
    judge: DecisionJudge | None = None,
    nodes: int = NODES,
    where: str = "record",
) -> list[Regret]:
    """The regret of every judged decision of a record, in order.

    Args:
        record: any of `bidtrick.envs`. number: what to call it. agents: names by seat.
        judge: of the record's rules; made anew by default. nodes: positions that may be visited for each action.

    Raises: RecordError naming `where` if it cannot be replayed; UnknownNameError for a game without a judge.
    """
    replay(record, where)  # refuses what does not end as recorded
    games = start_replay(record, where)
    judge = judge or decision_judge(games.spec)
    if agents and len(agents) != games.spec.num_seats:
        raise BidtrickError(f"agents: {len(agents)} names, must be {games.spec.num_seats}, one a seat")
    found: list[Regret] = []
    first = int(games.state.hand_id[0])
    for at, action in enumerate(record.actions, start=1):
        if int(np.count_nonzero(games.legal_actions()[0])) > 1:
            judged = judge(games, nodes)
            if judged is not None and not np.isnan(judged.values[action]):
                seat = int(games.current_player[0])
                value, best = float(judged.values[action]), int(np.nanargmax(judged.values))
                best_value = float(judged.values[best])
                name = games.spec.action_name
                hand, agent = int(games.state.hand_id[0]) - first + 1, agents[seat] if agents else ""
                phase, better = games.spec.phases[int(games.phase[0])], name(action if value == best_value else best)
                found.append(
                    Regret(number, hand, at, seat, agent, phase, name(action), better, value, best_value, judged.exact)
                )
        games.step([action])
    return found


def summary(regrets: Iterable[Regret], units: dict[str, str], hands: Sequence[tuple[int, int]] = ()) -> list[Row]:
    """Regret a hand by seat (or agent, where they are known), phase and exactness, with standard errors over hands.

    Args:
        units: of the judge. hands: (record, hand) of all hands; by default those in which something was judged.

    A hand without a decision in a phase counts as 0 there. Of an agent at several seats the seats' sum counts, and
    hands in which he does not sit are left out.
    """
    listed = list(regrets)
    everywhere = dict.fromkeys([*hands, *((one.record, one.hand) for one in listed)])
    groups: dict[tuple[str, str, bool], list[Regret]] = {}
    present: dict[str, dict[tuple[int, int], None]] = {"all": everywhere}
    for one in listed:
        who = one.agent or f"seat {one.seat}"
        for name in (who, "all"):
            groups.setdefault((name, one.phase, one.exact), []).append(one)
        present.setdefault(who, {})[one.record, one.hand] = None
    if len(present) == 2:  # one player alone is all
        groups = {key: ones for key, ones in groups.items() if key[0] != "all"}
    rows: list[Row] = []
    phases = list(units)
    for key in sorted(groups, key=lambda g: (g[0] == "all", g[0], phases.index(g[1]), not g[2])):
        (who, phase, exact), ones = key, groups[key]
        among = everywhere if who.startswith("seat ") else present[who]
        sums = dict.fromkeys(among, 0.0)
        for one in ones:
            sums[one.record, one.hand] += one.regret
        values = np.array(list(sums.values()))
        error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
        rows.append(
            Row(
                who, phase, units[phase], exact, len(values), len(ones),
                float(np.mean([one.regret == 0 for one in ones])), float(values.mean()), error,
            )
        )  # fmt: skip
    return rows


def judge_records(
    records: Iterable[tuple[GameRecord, Sequence[str]]], nodes: int = NODES, progress: Any = None
) -> tuple[list[Regret], dict[str, str]]:
    """The regret of many records of one game and set of rules, and the judge's units.

    Args:
        records: with names by seat, or none. progress: called after each record.

    Raises: RecordError naming the record if its game or rules are others than those of the first one.
    """
    found: list[Regret] = []
    judge: DecisionJudge | None = None
    kind: tuple[str, Any] | None = None
    for number, (record, agents) in enumerate(records, start=1):
        if judge is None:
            kind = record.game, record.rules
            judge = decision_judge(start_replay(record, "record 1").spec)
        if (record.game, record.rules) != kind:
            raise RecordError(f"record {number}: another game or other rules than record 1; judge them apart")
        found += judge_record(record, number, agents=agents, judge=judge, nodes=nodes, where=f"record {number}")
        if progress is not None:
            progress()
    return found, dict(judge.units) if judge is not None else {}
