# SPDX-License-Identifier: Apache-2.0
"""docs/scaling-growth.md: curves, the exponents of their upper halves, and what is worse than linear."""
import dataclasses
import math

from bench import svg
from bench.page import Page, Table
from bench.program import processor

PARTS = ("record", "backward", "plan", "step", "memory")
# An exponent is worse than what it should be if it is more than so much above.
TOLERANCE = 0.15


@dataclasses.dataclass
class Curve:
    what: str  # grows
    axis: str
    # Exponents that the work itself has, where they are not 1.
    expected: dict = dataclasses.field(default_factory=dict)
    # Why a part may be worse than linear, where that is known.
    reasons: dict = dataclasses.field(default_factory=dict)


FIRST_TOUCH = ("new memory is the system's, which clears pages at their first touch, and in a virtual machine "
               "first has to get them")
CACHES = "small sizes stay in the caches, large ones come from memory"
CURVES = {
    "nodes": Curve("Nodes: a chain of small layers that share 16 parameters, SGD", "nodes run",
                   reasons={"step": CACHES + ": 2 KB a node"}),
    "layers": Curve("Layers: a chain, each with a parameter of its own, AdamW", "layers",
                    reasons={"step": CACHES + ": 2 KB a node, six nodes a layer"}),
    "parameters": Curve("Parameters: four square layers, eight examples, AdamW. Recording draws them, backward "
                        "makes room for the optimizer's state", "parameters",
                        reasons={"backward": FIRST_TOUCH, "plan": FIRST_TOUCH, "record": FIRST_TOUCH,
                                 "step": CACHES}),
    "batch": Curve("Examples of a batch: W2 of `bench_train`, a perceptron, AdamW. Recording draws them, planning "
                   "makes room for what is kept of them", "examples",
                   reasons={"plan": FIRST_TOUCH, "record": FIRST_TOUCH, "step": CACHES}),
    "length": Curve("Places of a sequence: causal attention of one head of 64 columns. Recording draws the operands",
                    "places", {"step": 2},
                    {"step": "every place looks at all before it, which is half of their square; scores are made in "
                             "tiles and made again in the backward, so memory is linear",
                     "record": FIRST_TOUCH}),
    "ranks": Curve("Ranks: W2 with 128 examples on each, as processes of this machine", "ranks",
                   reasons={"step": "ranks take turns on the cores, and in a round of the exchange every rank talks "
                                    "to every other"}),
}

HOW = """* One process for each size, one thread; a step is the median of about {seconds:g} s of steps, of at least
  three, after one that is not counted. "Memory" is the process's peak beyond what it had before recording.
* Exponents are slopes of a straight line through the logarithms of the upper half of the sizes, by least
  squares: 1 is linear, 0 is a cost that does not grow, 2 is quadratic. Sums of a fixed and a growing
  part have exponents between.
* An exponent that is larger than the work's own by more than {tolerance} is bold.
"""


def size_of(curve, point):
    return point["nodes"] if curve == "nodes" else point["size"]


def exponent(points):
    """Of pairs of size and cost: the slope of the upper half in logarithms."""
    upper = points[len(points) // 2:] if len(points) > 3 else points[-2:]
    xs = [math.log(size) for size, _ in upper]
    ys = [math.log(max(cost, 1e-9)) for _, cost in upper]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return (sum((x - x0) * (y - y0) for x, y in zip(xs, ys)) / sum((x - x0) ** 2 for x in xs))


def series(curve, points, part):
    return [(size_of(curve, point), point[part]) for point in points if part in point]


def exponents(curves):
    """Of each curve and part."""
    return {(curve, part): exponent(series(curve, points, part))
            for curve, points in curves.items() for part in PARTS if series(curve, points, part)}


def expected(curve, part):
    return CURVES[curve].expected.get(part, 1)


# ---- Tables ----


def shown(part, cost):
    if part == "memory":
        return f"{cost / 1048576:.1f} MiB"
    return f"{cost:.2f} s" if cost >= 1 else f"{cost * 1e3:.3g} ms" if cost >= 1e-3 else f"{cost * 1e6:.3g} µs"


def times(curve, points, slopes):
    parts = [part for part in PARTS if (curve, part) in slopes]

    def marked(part):
        slope = slopes[curve, part]
        return f"**{slope:.2f}**" if slope > expected(curve, part) + TOLERANCE else f"{slope:.2f}"

    rows = [[f"{size_of(curve, point):,}", *(shown(part, point[part]) for part in parts)]
            for point in points]
    return Table([CURVES[curve].axis, *parts], [*rows, ["exponent", *map(marked, parts)]], "r")


def worse(slopes):
    """What is worse than linear: as the work asks for it, or not."""
    rows = []
    for (curve, part), slope in sorted(slopes.items(), key=lambda item: -item[1]):
        if slope > 1 + TOLERANCE:
            rows.append([f"{part}, by {CURVES[curve].axis}", f"{slope:.2f}", f"{expected(curve, part)}",
                         CURVES[curve].reasons.get(part, "**not known**")])
    return Table(["", "exponent", "of the work", "why"], rows, "lrrl")


def million_nodes(curves):
    """What was always wanted of planning, in proportion to the largest size."""
    points = curves.get("nodes")
    if not points:
        return ""
    millions = points[-1]["nodes"] / 1e6
    seconds = sum(points[-1][part] for part in ("record", "backward", "plan")) / millions
    gigabytes = points[-1]["memory"] / millions / 1e9
    verdict = "holds" if seconds <= 10 and gigabytes <= 4 else "does **not** hold"
    return (f"\nA million nodes are to be recorded, differentiated and planned in 10 s and 4 GB: {seconds:.1f} s and "
            f"{gigabytes:.1f} GB, which {verdict}.\n")


# ---- The chart ----

WIDTH, HEIGHT, LEFT, TOP, BETWEEN, BELOW = 300, 190, 70, 84, 84, 70


def short(value, units):
    """With the unit that leaves it 1 or more: units are their size and name, the largest first."""
    size, name = next((unit for unit in units if value >= unit[0] * 0.99), units[-1])
    return f"{value / size:g}{name}"


TIMES = ((1, " s"), (1e-3, " ms"), (1e-6, " µs"), (1e-9, " ns"))
BYTES = ((1e9, " GB"), (1e6, " MB"), (1e3, " kB"))
COUNTS = ((1e6, "M"), (1e3, "k"), (1, ""))


class Panel:
    """Logarithmic axes around all points of some series."""

    def __init__(self, canvas, left, top, all_points):
        self.canvas, self.left, self.top = canvas, left, top
        xs, ys = zip(*((math.log10(x), math.log10(max(y, 1e-9))) for x, y in all_points))
        self.x0, self.x1 = math.floor(min(xs)), max(math.ceil(max(xs)), math.floor(min(xs)) + 1)
        self.y0, self.y1 = math.floor(min(ys)), max(math.ceil(max(ys)), math.floor(min(ys)) + 1)

    def place(self, x, y):
        return (self.left + WIDTH * (math.log10(x) - self.x0) / (self.x1 - self.x0),
                self.top + HEIGHT * (1 - (math.log10(max(y, 1e-9)) - self.y0) / (self.y1 - self.y0)))

    def draw_axes(self, title, axis, units):
        canvas = self.canvas
        canvas.text(self.left, self.top - 8, title, bold=True)
        for power in range(self.y0, self.y1 + 1):
            y = self.place(10 ** self.x0, 10.0 ** power)[1]
            canvas.line(self.left, y, self.left + WIDTH, y, svg.GRID)
            canvas.text(self.left - 6, y + 4, short(10.0 ** power, units), fill=svg.FAINT, anchor="end")
        for power in range(self.x0, self.x1 + 1):
            x = self.place(10.0 ** power, 10.0 ** self.y0)[0]
            canvas.line(x, self.top, x, self.top + HEIGHT, svg.GRID)
            canvas.text(x, self.top + HEIGHT + 16, short(10 ** power, COUNTS), fill=svg.FAINT, anchor="middle")
        canvas.text(self.left + WIDTH / 2, self.top + HEIGHT + 34, axis, fill=svg.FAINT, anchor="middle")


def chart(curves, slopes):
    """A row of two panels for each curve: time and memory."""
    canvas = svg.Canvas(LEFT + 2 * WIDTH + BETWEEN + 30, TOP + (HEIGHT + BELOW) * len(curves) - 12,
                        "Time and memory as work grows, both logarithmic")
    x = LEFT
    for i, part in enumerate(PARTS):
        canvas.line(x, 46, x + 18, 46, svg.colour(i), 2.5)
        canvas.text(x + 24, 50, part)
        x += 44 + svg.text_width(part)
    for row, (curve, points) in enumerate(curves.items()):
        for column, parts in enumerate((PARTS[:-1], PARTS[-1:])):
            drawn = [part for part in parts if (curve, part) in slopes]
            if not drawn:
                continue
            panel = Panel(canvas, LEFT + column * (WIDTH + BETWEEN), TOP + row * (HEIGHT + BELOW),
                          [pair for part in drawn for pair in series(curve, points, part)])
            panel.draw_axes(("time", "memory")[column], CURVES[curve].axis, (TIMES, BYTES)[column])
            for part in drawn:
                canvas.polyline([panel.place(*pair) for pair in series(curve, points, part)],
                                svg.colour(PARTS.index(part)), 2.5)
    return canvas.finish()


# ---- The page ----


def page(data, stem):
    curves, machine = data["curves"], data["machine"]
    slopes = exponents(curves)
    tables = {curve: times(curve, points, slopes) for curve, points in curves.items()}
    beyond = worse(slopes)
    text = (f"# How cost grows with the work\n\nWritten by `./dev bench growth` on {data['date']}; nothing here "
            "is typed by hand. [Training on several ranks](scaling.md) is a page of its own.\n\n"
            f"* Machine: {processor(machine)}, {machine['cores']} cores. Compiler: {machine['compiler']}.\n" +
            HOW.format(seconds=data["effort"]["seconds"], tolerance=TOLERANCE) +
            "\n## What is worse than linear\n\n" + (beyond.markdown() if beyond.rows else "Nothing.\n") +
            million_nodes(curves) + f"\n![time and memory against size]({stem}.svg)\n")
    for curve, table in tables.items():
        text += f"\n## {CURVES[curve].what}\n\n" + table.markdown()
    return Page([*tables.values(), beyond], text, chart(curves, slopes))
