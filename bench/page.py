# SPDX-License-Identifier: Apache-2.0
"""What a measurement becomes: tables, promises and a chart, on the terminal and as a page."""
import csv
import dataclasses
import io

# Two runs of the same code differ by so much: a promise is kept within it.
NOISE = 0.03


@dataclasses.dataclass
class Table:
    heads: list
    rows: list
    align: str  # "l" or "r" for each column; the last one holds for the rest, too

    def markdown(self):
        if not self.rows:
            return "Not measured.\n"
        marks = "".join("---|" if side == "l" else "---:|" for side in self._sides())
        lines = [" | ".join(row) for row in [self.heads, *self.rows]]
        return f"| {lines[0]} |\n|{marks}\n" + "".join(f"| {line} |\n" for line in lines[1:])

    def csv(self):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.heads, *self.rows])
        return text.getvalue()

    def terminal(self):
        if not self.rows:
            return ""
        lines = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines)]
        padded = [[cell.ljust(width) if side == "l" else cell.rjust(width)
                   for cell, width, side in zip(line, widths, self._sides())] for line in lines]
        return "".join("  ".join(line).rstrip() + "\n" for line in padded) + "\n"

    def _sides(self):
        return self.align.ljust(len(self.heads), self.align[-1])


def grid(corner, cells):
    """A table of (row, column, text): rows and columns in the order in which they first come."""
    rows, heads = {}, {}
    for row, column, text in cells:
        heads[column] = True
        rows.setdefault(row, {})[column] = text
    return Table([corner, *heads],
                 [[row, *(found.get(head, "") for head in heads)] for row, found in rows.items()],
                 "lr")


@dataclasses.dataclass
class Promise:
    text: str
    measured: str = "not measured"
    holds: bool = None  # None: not measured
    why: str = ""  # it is not reached, where that is known

    def verdict(self):
        return {None: "?", True: "holds", False: "not reached"}[self.holds]


def promise_table(promises):
    return Table(["", "promise", "measured"],
                 [[promise.verdict(), promise.text, promise.measured] for promise in promises], "l")


def promise_sections(promises, marks="##"):
    """What holds, or was not measured, and what does not. `marks` begin their headings."""
    kept = [[promise.text, promise.measured] for promise in promises if promise.holds is not False]
    missed = [[promise.text, promise.measured, promise.why]
              for promise in promises if promise.holds is False]
    text = (f"{marks} What is promised\n\n3 % are allowed for noise.\n\n"
            "| promise | measured |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, b in kept))
    if missed:
        text += (f"\n{marks} Not reached\n\n" +
                 Table(["wanted", "measured", "why"], missed, "l").markdown())
    return text


@dataclasses.dataclass
class Page:
    """What is drawn of a measurement."""
    tables: list  # for the terminal
    markdown: str
    chart: str = ""  # SVG, for the file beside the page
    files: dict = dataclasses.field(default_factory=dict)  # tables in the folder beside it, by name
    all_times: Table = None  # for --csv
    failures: list = dataclasses.field(default_factory=list)  # why the measurement is of no use
