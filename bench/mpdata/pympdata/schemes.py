"""The options that both sides are run with."""
from typing import NamedTuple


class Scheme(NamedTuple):
    name: str
    passes: int
    non_oscillatory: bool = False
    infinite_gauge: bool = False


SCHEMES = (
    Scheme('donor cell', 1),
    Scheme('2 passes', 2),
    Scheme('2 passes, infinite gauge', 2, infinite_gauge=True),
    Scheme('2 passes, non-oscillatory', 2, non_oscillatory=True),
    Scheme('2 passes, both', 2, non_oscillatory=True, infinite_gauge=True),
    Scheme('3 passes, non-oscillatory', 3, non_oscillatory=True),
)
