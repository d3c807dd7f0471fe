# SPDX-License-Identifier: Apache-2.0
"""python3 -m aclgrad.benchmark --checker MODULE:FUNCTION

How many wrong gradients a checker finds, and how many right ones it blames: of the museum and of
the mutants. A checker is given a Case and returns whether it takes its gradient for right;
`aclgrad` and `torch` are there. Needs NumPy and a tree that is built.
"""
from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import sys
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from .cases import Case, NotBuilt, museum, mutants
from .check import check_gradient

Checker = Callable[[Case], bool]


def aclgrad(case: Case) -> bool:
    """check_gradient in float64, at the shapes of the case."""
    try:
        report = check_gradient(
            case.forward, case.backward, case.specs, dtypes="float64", contiguous=case.contiguous,
            arrays="numpy",
        )  # fmt: skip
    except RuntimeError:  # what a backward says that fails
        return False
    return report.verdict != "wrong"


def torch(case: Case) -> bool:
    """torch.autograd.gradcheck with its defaults, around a torch.autograd.Function."""
    import torch as pytorch

    class Call(pytorch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*inputs)
            made = case.forward(*[x.detach().numpy() for x in inputs])
            several = made if isinstance(made, tuple) else (made,)
            return tuple(pytorch.from_numpy(y.copy()) for y in several)

        @staticmethod
        def backward(ctx: Any, *arriving: Any) -> Any:
            inputs = [x.detach().numpy() for x in ctx.saved_tensors]
            made = list(case.backward(*[g.detach().numpy() for g in arriving], *inputs))
            return tuple(
                pytorch.from_numpy(made.pop(0).copy()) if has else None
                for has in case.differentiable
            )

    tensors = [
        pytorch.from_numpy(x.copy()).requires_grad_(has)
        for x, has in zip(case.inputs, case.differentiable)
    ]
    pytorch.manual_seed(0)
    try:
        return bool(pytorch.autograd.gradcheck(Call.apply, tensors))
    except (RuntimeError, ValueError):  # its GradcheckError is one
        return False


BUILT_IN: Dict[str, Checker] = {"aclgrad": aclgrad, "torch": torch}


def checker_of(path: str) -> Checker:
    """One of ours, or MODULE:FUNCTION."""
    if path in BUILT_IN:
        return BUILT_IN[path]
    module, separator, name = path.partition(":")
    if not separator:
        raise ValueError(f"'{path}' is not MODULE:FUNCTION, nor {', '.join(BUILT_IN)}")
    sys.path.insert(0, os.getcwd())
    return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]


class Score:
    """What checkers found, by origin and kind of mistake."""

    def __init__(self, names: List[str]) -> None:
        self.names = names
        self.taken: Dict[Tuple[str, str, bool], Dict[str, bool]] = {}
        self.kinds: Dict[Tuple[str, str], str] = {}

    def add(self, case: Case, name: str, is_taken: bool) -> None:
        """One answer."""
        self.taken.setdefault((case.origin, case.name, case.is_wrong), {})[name] = is_taken
        if case.is_wrong:
            self.kinds[case.origin, case.name] = case.kind

    def found(self, origin: str, name: str, checker: str) -> bool:
        """Whether the wrong one is blamed, and the right one, where there is one, is not."""
        right = self.taken.get((origin, name, False), {}).get(checker, True)
        return right and not self.taken[origin, name, True][checker]

    def rows(self) -> List[List[str]]:
        """Origin, kind, how many there are, and how many of them each checker finds."""
        rows = []
        for origin in ("museum", "mutants"):
            wrong = [key for key in self.kinds if key[0] == origin]
            for kind in sorted({self.kinds[key] for key in wrong}):
                alike = [key[1] for key in wrong if self.kinds[key] == kind]
                counts = [sum(self.found(origin, n, c) for n in alike) for c in self.names]
                rows.append([origin, kind, str(len(alike)), *map(str, counts)])
            if wrong:
                counts = [sum(self.found(origin, k[1], c) for k in wrong) for c in self.names]
                rows.append([origin, "**all**", str(len(wrong)), *map(str, counts)])
            right = [key for key in self.taken if key[0] == origin and not key[2]]
            if right:
                counts = [sum(not self.taken[key][c] for key in right) for c in self.names]
                rows.append(
                    [origin, "right ones that are blamed", str(len(right)), *map(str, counts)]
                )
        return rows

    def blamed(self, checker: str) -> List[str]:
        """Those that are right."""
        return [k[1] for k, answers in self.taken.items() if not k[2] and not answers[checker]]

    def missed(self, checker: str) -> List[str]:
        """Those that are wrong."""
        return [name for origin, name in self.kinds if not self.found(origin, name, checker)]

    def markdown(self) -> str:
        """A table."""
        head = ["from", "what is wrong", "cases", *self.names]
        lines = ["| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(head) - 2)]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows()]
        return "\n".join(lines) + "\n"


def run(checkers: Dict[str, Checker], cases: Iterable[Case], verbose: bool = False) -> Score:
    """All checkers on all cases. What a checker raises is its answer: it does not take it."""
    score = Score(list(checkers))
    for case in cases:
        for name, checker in checkers.items():
            try:
                is_taken = bool(checker(case))
            except Exception as error:
                print(f"{name} on {case.name}: {type(error).__name__}: {error}", file=sys.stderr)
                is_taken = False
            score.add(case, name, is_taken)
            if verbose and is_taken == case.is_wrong:
                print(f"{name}: {'misses' if case.is_wrong else 'blames'} {case.name}", flush=True)
    return score


def write_into(path: pathlib.Path, text: str) -> None:
    """Replaces what stands between the marks of a page."""
    begin, end = "<!-- begin: written by aclgrad.benchmark -->\n", "<!-- end -->\n"
    page = path.read_text(encoding="utf-8")
    at, until = page.index(begin) + len(begin), page.index(end)
    path.write_text(page[:at] + text + page[until:], encoding="utf-8")


def cases_of(options: argparse.Namespace) -> Iterable[Case]:
    """Those that are asked for."""
    if options.of != "mutants":
        yield from museum(options.only)
    if options.of != "museum":
        yield from mutants(options.only)


def main(arguments: Optional[List[str]] = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m aclgrad.benchmark", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--checker", action="append", metavar="MODULE:FUNCTION",
                        help=f"or {', '.join(BUILT_IN)}; several are compared (aclgrad)")  # fmt: skip
    parser.add_argument("--of", choices=["museum", "mutants", "both"], default="both")
    parser.add_argument("--only", action="append", metavar="NAME", help="of a case: WG-001")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table into this page")
    parser.add_argument("--json", action="store_true", help="print what was missed and blamed, too")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    try:
        checkers = {path: checker_of(path) for path in options.checker or ["aclgrad"]}
        score = run(checkers, cases_of(options), options.verbose)
    except (NotBuilt, ValueError, ImportError, AttributeError) as error:
        print(f"aclgrad.benchmark: {error}", file=sys.stderr)
        return 3
    if options.json:
        told = {n: {"missed": score.missed(n), "blamed": score.blamed(n)} for n in checkers}
        print(json.dumps({"rows": score.rows(), "checkers": told}, indent=2))
    else:
        print(score.markdown(), end="")
    if options.markdown:
        write_into(options.markdown, score.markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
