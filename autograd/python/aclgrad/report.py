# SPDX-License-Identifier: Apache-2.0
"""What a check found: a verdict, a text, findings, JSON, and a page."""
from __future__ import annotations

import html
import json
import pathlib
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

# From what is good to what is worst, which is the verdict of several.
_ORDER = ("right", "inexact", "vacuous", "inconclusive", "wrong")
STATUSES = {"right": 0, "wrong": 1, "inconclusive": 2, "vacuous": 5, "inexact": 6}


@dataclass(frozen=True)
class Finding:
    """Something that is not right: what was looked at, in which dtype, what is wrong, and where
    that lies."""

    check: str
    dtype: str
    verdict: str
    text: str
    diagnosis: str = ""
    details: Dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        told = f"\n    diagnosis: {self.diagnosis}" if self.diagnosis else ""
        return f"{self.verdict.upper()} {self.dtype} ({self.check}): {self.text}{told}"


@dataclass(frozen=True)
class Part:
    """The check of one dtype, as the C library reports it."""

    dtype: str
    verdict: str
    text: str
    data: Dict[str, Any]


@dataclass
class Report:
    """The checks of one pair of functions, a part for each dtype."""

    name: str
    seed: int
    parts: List[Part]
    again: Optional[str] = None  # what shows it again

    @property
    def verdict(self) -> str:
        """ "right", "wrong", "inconclusive", "vacuous" or "inexact"; that of the worst dtype."""
        if not self.parts:
            return "inconclusive"
        return max((part.verdict for part in self.parts), key=_ORDER.index)

    @property
    def status(self) -> int:
        """The exit status of aclgrad-gradcheck for it."""
        return STATUSES[self.verdict]

    @property
    def passed(self) -> bool:
        """Whether it is right. What is inexact, undecided or mostly zeros is not."""
        return self.verdict == "right"

    @property
    def findings(self) -> List[Finding]:
        """All of them, of all dtypes."""
        found = []
        for part in self.parts:
            for each in part.data.get("findings", []):
                found.append(
                    Finding(
                        each.get("check", ""),
                        part.dtype,
                        each.get("verdict", "wrong").lower(),
                        each.get("text", ""),
                        each.get("diagnosis", ""),
                        each,
                    )
                )
        return found

    @property
    def text(self) -> str:
        """For people."""
        lines = [f"{self.name}: {self.verdict.upper()} (seed {self.seed})"]
        for part in self.parts:
            lines.append(f"--- {part.dtype}")
            lines.append(part.text.rstrip())
        if self._is_of_16_bits():
            lines.append(
                "Wider dtypes are right. If the functions round inside more often than once, say so: "
                "roundings=N; if they add up in 16 bits: accumulation=dtype."
            )
        if self.again:
            lines.append(f"again: {self.again}")
        return "\n".join(lines)

    def _is_of_16_bits(self) -> bool:
        """Whether it is right but for 16 bits."""
        half = [
            p for p in self.parts if p.dtype in ("bfloat16", "float16") and p.verdict != "right"
        ]
        wide = [p for p in self.parts if p.dtype in ("float32", "float64")]
        return bool(half and wide) and all(part.verdict == "right" for part in wide)

    def json(self) -> str:
        """For programs; each dtype's part is as aclgrad-gradcheck writes it."""
        whole = {
            "name": self.name,
            "verdict": self.verdict,
            "status": self.status,
            "seed": self.seed,
            "dtypes": {part.dtype: {"verdict": part.verdict, **part.data} for part in self.parts},
        }
        return json.dumps(whole, indent=2) + "\n"

    def html(self) -> str:
        """A page of its own."""
        return (
            "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
            f"<title>{html.escape(self.name)}: {self.verdict}</title>\n"
            f"<style>body{{margin:2em auto;max-width:60em}}</style></head><body>\n"
            f"{self._repr_html_()}</body></html>\n"
        )

    def save(self, path: Any) -> None:
        """Writes it to a file: the page, JSON or text, by the name's end."""
        path = pathlib.Path(path)
        writer = {".html": self.html, ".json": self.json}.get(path.suffix, lambda: self.text + "\n")
        path.write_text(writer(), encoding="utf-8")

    def require_right(self) -> "Report":
        """Raises AssertionError with the text unless it is right."""
        __tracebackhide__ = True
        if not self.passed:
            raise AssertionError(self.text)
        return self

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        colour = {"right": "#1a7f37", "wrong": "#b00020"}.get(self.verdict, "#9a6700")
        rows = "".join(
            f"<tr><td>{part.dtype}</td><td>{part.verdict}</td>"
            f"<td>{part.data.get('elements', {}).get('right', 0)}</td>"
            f"<td>{part.data.get('elements', {}).get('wrong', 0)}</td>"
            f"<td>{part.data.get('checks', 0)}</td></tr>"
            for part in self.parts
        )
        found = "".join(
            f"<li><b>{html.escape(each.check)}</b>, {each.dtype}: {html.escape(each.text)}"
            f"{'<br><i>' + html.escape(each.diagnosis) + '</i>' if each.diagnosis else ''}</li>"
            for each in self.findings
        )
        return (
            f"<div style='font-family:sans-serif'><h3>{html.escape(self.name)}: "
            f"<span style='color:{colour}'>{self.verdict}</span></h3>"
            "<table><tr><th>dtype</th><th>verdict</th><th>right</th><th>wrong</th><th>checks</th></tr>"
            f"{rows}</table>{'<ul>' + found + '</ul>' if found else ''}"
            f"<details><summary>Report</summary><pre>{html.escape(self.text)}</pre></details></div>\n"
        )
