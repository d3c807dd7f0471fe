# SPDX-License-Identifier: Apache-2.0
"""bench_growth: time and memory of recording, differentiating, planning and running as work grows."""
import sys

from bench import program
from bench.growth.measure import SIZES, measure
from bench.growth.page import page


def parsed():
    parser = program.parser("bench_growth", "Times recording, backward, planning and steps of more and "
                            "more nodes, parameters, examples, places and ranks, and fits exponents.")
    parser.add_argument("--curves", nargs="+", choices=list(SIZES), default=list(SIZES),
                        help="which to measure")
    parser.add_argument("--seconds", type=program.positive(float), default=1,
                        help="about the time of the steps of each point, of at least three")
    parser.add_argument("--quick", action="store_true",
                        help="the two smallest sizes of each: the figures mean nothing")
    parser.add_argument("--mpiexec", default="", help=program.HIDDEN)
    parser.set_defaults(timelines=3)  # of scale_step
    options = parser.parse_args()
    if options.quick:
        options.seconds = 1e-6
    return options


if __name__ == "__main__":
    sys.exit(program.main(parsed(), measure, page))
