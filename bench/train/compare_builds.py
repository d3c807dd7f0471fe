#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times training steps of two builds by turns, so that both meet the same machine.

Each build folder needs the target train_worker_ours. One line a workload: the medians of a step in
both, and the median and quartiles of the ratios of neighbouring turns."""
import argparse
import pathlib
import statistics

from worker import Worker


def compare(builds, workload, options):
    workers = [Worker(build / "bin" / "train_worker_ours", workload, options.threads)
               for build in builds]
    try:
        for worker in workers:
            worker.seconds_of(3)  # a first step plans
        steps = max(1, round(3 * options.seconds / max(w.seconds_of(3) for w in workers)))
        turns = []
        for turn in range(options.turns):
            order = (0, 1) if turn % 2 == 0 else (1, 0)
            taken = {k: workers[k].seconds_of(steps) / steps for k in order}
            turns.append((taken[0], taken[1]))
    finally:
        for worker in workers:
            worker.close()
    low, middle, high = statistics.quantiles((after / before for before, after in turns), n=4)
    before, after = (statistics.median(column) for column in zip(*turns))
    print(f"{workload}, {options.threads} thread(s): {before * 1e6:.2f} us, {after * 1e6:.2f} us, "
          f"ratio {middle:.3f} ({low:.3f} to {high:.3f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=pathlib.Path, help="a build folder")
    parser.add_argument("after", type=pathlib.Path, help="another")
    parser.add_argument("--workloads", nargs="+", default=["W1", "W2", "W3"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a turn")
    options = parser.parse_args()
    for workload in options.workloads:
        compare((options.before, options.after), workload, options)


if __name__ == "__main__":
    main()
