# SPDX-License-Identifier: Apache-2.0
"""Charts of the benchmarks' pages, in the colours of those that framework/report draws."""
from xml.sax.saxutils import escape

INK = "#222222"
FAINT = "#666666"
GRID = "#e4e4e4"
TEXT_SIZE = 12
TITLE_SIZE = 16
# Of Okabe and Ito, which people with any common colour vision can tell apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def colour(index):
    return PALETTE[index % len(PALETTE)]


def text_width(text, size=TEXT_SIZE):
    return 0.58 * size * len(text)


def coordinate(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Canvas:
    """Elements in drawing order on a white ground, the title across the top."""

    def __init__(self, width, height, title):
        shown = f'width="{coordinate(width)}" height="{coordinate(height)}"'
        self._text = (f'<svg xmlns="http://www.w3.org/2000/svg" {shown} '
                      f'viewBox="0 0 {coordinate(width)} {coordinate(height)}" '
                      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
                      f"<title>{self._escaped(title)}</title>\n")
        self.rectangle(0, 0, width, height, "#ffffff")
        needed = text_width(title, TITLE_SIZE) * 1.08  # bold is wider
        self.text(width / 2, 24, title, size=TITLE_SIZE * min(1, (width - 16) / needed),
                  anchor="middle", bold=True)

    def rectangle(self, x, y, width, height, fill):
        self._add("rect", x=x, y=y, width=width, height=height, fill=fill)

    def line(self, x1, y1, x2, y2, stroke, width=1):
        self._add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width)

    def polyline(self, points, stroke, width):
        joined = " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in points)
        self._add("polyline", fill="none", stroke_linejoin="round", stroke_linecap="round",
                  points=joined, stroke=stroke, stroke_width=width)

    def circle(self, x, y, radius, fill):
        self._add("circle", cx=x, cy=y, r=radius, fill=fill)

    def text(self, x, y, text, size=TEXT_SIZE, fill=INK, anchor="start", bold=False):
        weight = {"font_weight": "bold"} if bold else {}
        self._add("text", text, x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, **weight)

    def finish(self):
        return self._text + "</svg>\n"

    def _add(self, element, content=None, **attributes):
        written = "".join(
            f' {name.replace("_", "-")}="{value if isinstance(value, str) else coordinate(value)}"'
            for name, value in attributes.items())
        end = "/>" if content is None else f">{self._escaped(content)}</{element}>"
        self._text += f"<{element}{written}{end}\n"

    @staticmethod
    def _escaped(text):
        return escape(text, {'"': "&quot;", "'": "&#39;"})
