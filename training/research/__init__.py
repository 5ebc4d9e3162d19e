"""Research with open cards: tables of deals, regret of what was played, and sets of solved deals."""

from .dataset import Dataset, DatasetSettings, generate, load_dataset
from .deals import Deal, drawn_deals, make_deal, read_deals
from .hands import record_hands
from .regret import Regret, judge_record, judge_records, summary
from .tables import DealTable, solve_deals

__all__ = [
    "Dataset", "DatasetSettings", "Deal", "DealTable", "Regret", "drawn_deals", "generate", "judge_record",
    "judge_records", "load_dataset", "make_deal", "read_deals", "record_hands", "solve_deals", "summary",
]  # fmt: skip
