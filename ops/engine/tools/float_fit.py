# SPDX-License-Identifier: Apache-2.0
"""Polynomials with coefficients of float, for the scripts beside this one."""
import pathlib
import struct

from mpmath import cos, lu_solve, matrix, mp, mpf, pi

mp.dps = 40


def to_float(v):
    return mpf(struct.unpack("f", struct.pack("f", float(v)))[0])


def chebyshev_nodes(low, high, count):
    return [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]


def literal(v):
    return f"{float(v).hex()}f".replace("0x0.0p+0f", "0.0f")


def fit(nodes, terms, target, weight):
    """Floats c such that sum c[n] terms[n](t) is near target(t); and the largest weighted error.

    Least squares of weight(t) times the error, reweighted until the largest errors are level (Lawson's
    method), which is nearly the minimax solution. Coefficients are rounded one by one from the first
    on, each time with the rest fitted anew.
    """
    rows = [[weight(t) * term(t) for term in terms] for t in nodes]
    goal = [weight(t) * target(t) for t in nodes]
    known = []

    def left_over(k):
        return goal[k] - sum(c * rows[k][n] for n, c in enumerate(known))

    levels = [mpf(1) / len(nodes)] * len(nodes)
    for first in range(len(terms)):
        size = len(terms) - first
        aims = [left_over(k) for k in range(len(nodes))]
        for _ in range(20 if first == 0 else 6):
            squares, right = matrix(size, size), matrix(size, 1)
            for level, row, aim in zip(levels, rows, aims):
                for a in range(size):
                    right[a] += level * row[first + a] * aim
                    for b in range(size):
                        squares[a, b] += level * row[first + a] * row[first + b]
            solution = lu_solve(squares, right)
            errors = [abs(sum(s * c for s, c in zip(solution, row[first:])) - aim) for row, aim in zip(rows, aims)]
            worst = max(errors)
            levels = [level * (error + worst / 1000) for level, error in zip(levels, errors)]
            total = sum(levels)
            levels = [level / total for level in levels]
        known.append(to_float(solution[0]))
    return known, max(abs(left_over(k)) for k in range(len(nodes)))


def coefficient_table(kind, name, literals):
    return [f"inline constexpr {kind} {name}[] = {{", *[f"    {c}," for c in literals], "};"]


def write_or_check(script, target, notes, declarations, table, arguments):
    """Writes a header of the repository, or with --check says whether it is what would be written. An exit status.

    `notes` are comments behind the one that names the script, `table` the lines that clang-format leaves alone.
    """
    root = pathlib.Path(__file__).resolve().parents[3]
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Made by ops/engine/tools/{pathlib.Path(script).name}; that file says what it is. Do not edit.",
        *[f"// {note}" for note in notes],
        "#pragma once",
        "",
        *declarations,
        "// clang-format off",
        *table,
        "// clang-format on",
        "",
        "}  // namespace aclgrad::ops",
    ]
    text = "\n".join(lines) + "\n"
    if "--check" not in arguments:
        (root / target).write_text(text)
        return 0
    same = (root / target).read_text() == text
    print("the table is up to date" if same else "the table differs")
    return 0 if same else 1
