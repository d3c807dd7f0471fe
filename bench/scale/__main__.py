# SPDX-License-Identifier: Apache-2.0
"""bench_scale: training on several ranks of this machine, and the model of more of them."""
import sys

from bench import program
from bench.scale.measure import measure
from bench.scale.page import page


def ranks(text):
    count = int(text)
    if not 2 <= count <= 16:
        raise ValueError
    return count


def parsed():
    parser = program.parser("bench_scale", "Times training steps on several ranks of this machine, and "
                            "sums beside MPI's own; fits a model to that, and predicts more ranks.")
    parser.add_argument("--workloads", nargs="+", choices=["W2", "W3"], default=["W2", "W3"],
                        help="which to time")
    parser.add_argument("--ranks", nargs="+", type=ranks, default=[2, 4],
                        help="numbers of ranks, beside one: 2 to 16")
    for name, kind, default, what in (
            ("--passes", int, 2, "of which the least disturbed counts"),
            ("--seconds", float, 1, "about the time of the steps of each kind"),
            ("--timelines", int, 9, "of a rank, of which the median is taken"),
            ("--rounds", int, 9, "of messages, of which the median is taken")):
        parser.add_argument(name, type=program.positive(kind), default=default, help=what)
    parser.add_argument("--quick", action="store_true",
                        help="a few steps with small batches: the figures mean nothing")
    parser.add_argument("--mpiexec", default="", help=program.HIDDEN)
    # The largest message in bytes, and what all batches are divided by.
    parser.set_defaults(largest=64 << 20, divisor=1)
    options = parser.parse_args()
    if options.quick:
        vars(options).update(passes=1, seconds=1e-6, timelines=3, rounds=1, largest=1 << 20, divisor=16)
    return options


if __name__ == "__main__":
    sys.exit(program.main(parsed(), measure, page))
