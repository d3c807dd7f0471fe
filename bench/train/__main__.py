# SPDX-License-Identifier: Apache-2.0
"""bench_train: training steps beside libtorch and beside the bare products and convolutions."""
import pathlib
import sys

from bench import program, runs
from bench.train.measure import measure
from bench.train.page import PARTS, page


def parsed():
    parser = program.parser("bench_train", "Times training steps: ours, libtorch's, and the bare "
                            "products and convolutions.")
    parser.add_argument("--workloads", nargs="+", metavar="NAME", help="which to time; None: all")
    parser.add_argument("--threads", nargs="+", type=program.positive(int), default=[1, 2],
                        help="numbers of threads")
    parser.add_argument("--blas", nargs="*", type=pathlib.Path, default=program.installed_blas(),
                        help="folders with a libblas.so.3 to try under libtorch")
    parser.add_argument("--repetitions", type=program.positive(int), default=15,
                        help="of which the median is taken")
    parser.add_argument("--seconds", type=program.positive(float), default=0.1,
                        help="least time of a repetition")
    parser.add_argument("--quick", action="store_true",
                        help="one short repetition of everything, with the system's BLAS")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.repetitions, options.blas = 1e-6, 1, []
    return options


if __name__ == "__main__":
    sys.exit(program.main(parsed(), measure, page,
                          lambda folder, run: runs.keep(folder, run, PARTS)))
