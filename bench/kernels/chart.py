# SPDX-License-Identifier: Apache-2.0
"""docs/performance.svg: elementwise operations on contiguous tensors of the largest size, one thread."""
from bench import svg
from bench.kernels.cells import OURS, STORES, is_plain

BAR = 7  # thickness
GAP = 8  # between operators
LABELS = 170  # width of the operators' names
PANEL = 330  # width of one dtype's bars
TOP = 76
BETWEEN = 24


def drawn(cells, dtype):
    """Of the largest size. The same operators stand in the same places: casts have one dtype only."""
    all_sizes = [cell for cell in cells
                 if is_plain(cell) and cell.threads == 1 and cell.dtype == dtype]
    largest = max((cell.elements for cell in all_sizes), default=0)
    return [cell for cell in all_sizes
            if cell.elements == largest and not cell.operation.startswith("Cast")]


def draw_panel(canvas, left, cells, names, fastest, height, with_labels):
    def x(value):
        return left + value / fastest * (PANEL - 30)

    step = 5 if fastest > 16 else 2 if fastest > 8 else 1 if fastest > 4 else 0.5
    for k in range(int(fastest / step) + 1):
        canvas.line(x(k * step), TOP, x(k * step), TOP + height, svg.GRID)
        canvas.text(x(k * step), TOP + height + 16, f"{k * step:g}", fill=svg.FAINT, anchor="middle")
    block = BAR * len(names)
    y = TOP + GAP / 2
    for cell in cells:
        if with_labels:
            canvas.text(left - 8, y + block / 2 + 4, cell.operation, anchor="end")
        for i, name in enumerate(names):
            if name in cell.seconds:
                canvas.rectangle(left, y + BAR * i, x(cell.rate(cell.seconds[name])) - left, BAR - 1,
                                 svg.colour(i))
        if cell.limit:
            limit = x(cell.rate(cell.limit))
            canvas.line(limit, y - 1, limit, y + block + 1, svg.INK, 2)
        y += block + GAP


def draw_legend(canvas, names):
    x, y = 16, 44
    for i, name in enumerate([*names, "memory's limit"]):
        if i < len(names):
            canvas.rectangle(x, y - 9, 11, 11, svg.colour(i))
        else:
            canvas.line(x + 5, y - 9, x + 5, y + 2, svg.INK, 2)
        canvas.text(x + 16, y, name)
        x += 32 + svg.text_width(name)


def chart(cells):
    """Elementwise operations on contiguous tensors of the largest size measured, one thread."""
    panels = {dtype: drawn(cells, dtype) for dtype in ("FLOAT", "BFLOAT16")}
    shown = [cell for panel in panels.values() for cell in panel]
    names = list(dict.fromkeys([OURS, *(name for cell in shown for name in sorted(cell.seconds)
                                        if name not in STORES)]))
    fastest = max((cell.rate(seconds) for cell in shown for seconds in cell.seconds.values()),
                  default=0)
    height = (BAR * len(names) + GAP) * max(map(len, panels.values()))
    size = f"{panels['FLOAT'][0].size} elements, " if panels["FLOAT"] else ""
    canvas = svg.Canvas(LABELS + (PANEL + BETWEEN) * len(panels), TOP + height + 48,
                        f"Elementwise operators: {size}one thread, contiguous")
    if fastest > 0:
        draw_legend(canvas, names)
        left = LABELS
        for dtype, panel in panels.items():
            canvas.text(left, TOP - 8, dtype, bold=True)
            draw_panel(canvas, left, panel, names, fastest, height, left == LABELS)
            canvas.text(left + PANEL / 2, TOP + height + 36, "10⁹ elements a second", fill=svg.FAINT,
                        anchor="middle")
            left += PANEL + BETWEEN
    return canvas.finish()
