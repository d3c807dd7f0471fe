# SPDX-License-Identifier: Apache-2.0
"""Where others are faster: what a page says of the cells that were lost, and why they were."""
import dataclasses
import fnmatch
import pathlib

from bench.page import NOISE, Table
from bench.runs import title

REASONS = pathlib.Path(__file__).with_name("reasons.txt")
UNKNOWN = "**not known**"


@dataclasses.dataclass
class Compared:
    """A cell, and how many times as fast as we the fastest of the others is."""
    cell: str
    who: str
    ratio: float


def read_reasons(path=REASONS):
    """Lines of a pattern of cells, two spaces or more, and a reason; the first that fits counts."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [tuple(map(str.strip, line.split("  ", 1))) for line in lines if line and line[0] != "#"]


def reason_of(cell, reasons):
    return next((why for pattern, why in reasons if fnmatch.fnmatchcase(cell, pattern)), UNKNOWN)


def of_run(compared, reasons):
    lost = sorted((each for each in compared if each.ratio > 1 + NOISE), key=lambda each: -each.ratio)
    if not compared:
        return "Nobody was compared with.\n"
    if not lost:
        nearest = max(compared, key=lambda each: each.ratio)
        return (f"Nowhere, in {len(compared)} cells. Nearest: {nearest.cell}, {nearest.who}, at "
                f"{nearest.ratio:.2f} of our speed.\n")
    rows = [[each.cell, each.who, f"{each.ratio:.2f}", reason_of(each.cell, reasons)] for each in lost]
    return (f"In {len(lost)} of {len(compared)} cells by more than 3 %, in "
            f"{sum(each.ratio > 1.1 for each in lost)} by more than 10 %.\n\n" +
            Table(["cell", "who", "times as fast", "why"], rows, "llrl").markdown())


def section(runs, compared, reasons=None):
    """`compared`: of a run, what can be compared. Worst first."""
    reasons = read_reasons() if reasons is None else reasons
    return "## Where others are faster\n" + "".join(
        f"\n### {title(run)}\n\n{of_run(compared(run), reasons)}" for run in runs)
