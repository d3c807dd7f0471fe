# SPDX-License-Identifier: Apache-2.0
"""Starts ranks and times what they do. In the measurement, all in seconds:

    singles    a step on one rank, and where in it the buckets of gradients are there (scale_step.cpp)
    steps      on several ranks; "waiting": without overlap; "apart": without an exchange; "exchange": in
               all, including the wait for other ranks; "hidden": the share of that beside which
               operators ran
    messages   of a sum over ranks, by MPI and by us, and of its halves, by size (message_size.cpp)
    transfers  for so many numbers that each rank sends to the next one, one by one but all at once"""
import json
import os
import pathlib
import subprocess
import sys

from bench.program import Progress, about

LAUNCHER = pathlib.Path(__file__).parents[2] / "tests/support/mpirun.sh"
NO_MPI = ("MPI was not found: ranks are threads only, and nothing is predicted; install "
          "libopenmpi-dev and openmpi-bin, then build again")
# Smaller than the default, for a workload that would have only one.
SMALL_BUCKET = 128 << 10


class Ranks:
    def __init__(self, options):
        self._options = options

    def run(self, processes, program, *arguments):
        """What the program prints, run by as many processes of MPI."""
        command = [self._options.programs / program, *map(str, arguments)]
        if processes > 1:
            command = ["bash", LAUNCHER, self._options.mpiexec, str(processes), *command]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stdout}")
        return done.stdout

    def step(self, wanted):
        """What scale_step reports of a step on one rank or, in some way, on several."""
        ranks = wanted.get("ranks", 1)
        is_threads = wanted.get("way") == "threads"
        report = json.loads(self.run(
            1 if is_threads else ranks, "scale_step", wanted["workload"], wanted["examples"],
            wanted["bucket_bytes"], self._options.seconds, self._options.timelines,
            *([ranks] if is_threads else [])))
        if report["ranks"] != ranks:
            raise RuntimeError("the ranks did not find each other")
        return wanted | report

    def messages(self, ranks):
        messages, transfers = [], []
        lines = self.run(ranks, "message_size", self._options.largest, self._options.rounds)
        for line in lines.splitlines()[1:]:
            words = line.split(",")
            if words[0] == "transfers":
                transfers.append({"ranks": ranks, "count": int(words[1]),
                                  "seconds": float(words[2]) * 1e-6})
            else:
                mpi, all_reduce, _, reduce_scatter, all_gather = (float(w) * 1e-6 for w in words[1:])
                messages.append({"ranks": ranks, "bytes": int(words[0]), "mpi": mpi,
                                 "all_reduce": all_reduce, "reduce_scatter": reduce_scatter,
                                 "all_gather": all_gather})
        return messages, transfers


def plan(workload, options, has_processes, default_bucket):
    """What is to be measured of a workload: steps on one rank, with its batch, the parts of it that
    ranks get, and less; and steps on several."""
    batch = max(1, workload["batch"] // options.divisor)
    has_one_bucket = workload["parameters"] * 4 <= default_bucket
    singles, steps = [], []
    for bucket in [default_bucket, SMALL_BUCKET] if has_one_bucket else [default_bucket]:
        common = {"workload": workload["name"], "bucket_bytes": bucket}
        singles += [common | {"examples": batch // part}
                    for part in (1, 2, 4, 16, 128) if batch // part > 0]
        ways = ["processes"] if has_processes else []
        if bucket == default_bucket or not has_processes:
            ways.append("threads")
        steps += [common | {"scaling": scaling, "way": way, "ranks": ranks,
                            "examples": batch if scaling == "weak" else max(1, batch // ranks)}
                  for ranks in options.ranks for way in ways for scaling in ("strong", "weak")]
    return singles, steps


def keep_faster(kept, measured):
    """In each place the one that took less as a whole."""
    for i, new in enumerate(measured):
        if len(kept) <= i:
            kept.append(new)
        elif new["seconds"] < kept[i]["seconds"]:
            kept[i] = new


def keep_least(kept, measured):
    """In each place the least of each of its times."""
    for i, new in enumerate(measured):
        if len(kept) <= i:
            kept.append(new)
        else:
            kept[i] = {name: min(kept[i][name], value) for name, value in new.items()}


def measure(options):
    has_processes = bool(options.mpiexec)
    if not has_processes:
        print(NO_MPI, file=sys.stderr)
    known = about(options.programs / "scale_step")
    workloads = [known["workloads"][name] for name in options.workloads]
    plans = [plan(workload, options, has_processes, known["default_bucket"]) for workload in workloads]
    singles = [step for some, _ in plans for step in some]
    steps = [step for _, some in plans for step in some]
    exchanging = options.ranks if has_processes else []
    progress = Progress("scaling", options.passes * (len(singles) + len(steps) + len(exchanging)))
    ranks = Ranks(options)

    def measured(wanted):
        for step in wanted:
            progress.next(f"{step['workload']}, {step.get('ranks', 1)} {step.get('way', 'rank')}")
            yield ranks.step(step)

    data = {"singles": [], "steps": [], "messages": [], "transfers": []}
    for _ in range(options.passes):
        keep_faster(data["singles"], measured(singles))
        keep_faster(data["steps"], measured(steps))
        pairs = []
        for count in exchanging:
            progress.next(f"messages between {count} processes")
            pairs.append(ranks.messages(count))
        keep_least(data["messages"], [message for messages, _ in pairs for message in messages])
        keep_least(data["transfers"], [transfer for _, transfers in pairs for transfer in transfers])
    progress.finish()
    return {"benchmark": "scale",
            "effort": {name: getattr(options, name) for name in ("passes", "seconds", "timelines")},
            "has_priority": os.sched_getscheduler(0) in (os.SCHED_RR, os.SCHED_FIFO),
            **known, "workloads": workloads, **data}
