# SPDX-License-Identifier: Apache-2.0
"""Starts the workers and times their steps. In the measurement, by workload, number of threads and
contender: "times", the seconds of a step by repetition; "loss" of step COMPARED, null from who computes
none and who was passed over; "peak", bytes that were resident at most; "version" of the library."""
import contextlib
import math
import os
import pathlib
import random
import sys
import time

from bench.program import Progress, about, for_openblas, has_avx512
from bench.train.worker import Worker

OURS = "aclgrad"
FLOOR = "bare products"
TORCH = "libtorch"  # its settings follow the name
COMPARED = 10  # losses are compared at this step
# A libtorch that needs longer than this for its first step is passed over: there are others of it,
# upon better BLAS.
SLOW = 4
NO_TORCH = "libtorch was not found: install libtorch-dev to compare with it, then build again"
NO_BLAS = ("libtorch is measured with the system's BLAS only; install libopenblas0-openmp to compare "
           "with that too")
# How often a repetition is tried of which the machine's host takes some.
TRIES = 6


def find_contenders(programs, blas):
    """Ours, the floor, and libtorch with each of its settings: name, program, environment."""
    found = [(OURS, programs / "train_worker_ours", {}), (FLOOR, programs / "train_worker_floor", {})]
    torch = programs / "train_worker_torch"
    if not torch.exists():
        return found
    # The system's default is one of the variants, as a rule: measured once.
    others = [folder for folder in blas if (folder / "libblas.so.3").resolve() !=
              (folder.parent / "libblas.so.3").resolve()]
    for folder in [None, *others]:
        for avx512 in (False, True) if has_avx512() else (False,):
            variables = for_openblas()
            name = TORCH
            if avx512:
                name += " avx512"
                variables["ATEN_CPU_CAPABILITY"] = "avx512"
            if folder:
                name += f", {folder.name}"
                variables["LD_LIBRARY_PATH"] = str(folder)
            found.append((name, torch, variables))
    return found


def last_cores(count):
    """Of those that this thread may use: always the same, as contenders on different cores would not
    be comparable where other programs use some of them, too."""
    return set(sorted(os.sched_getaffinity(0))[-count:])


@contextlib.contextmanager
def only(cores):
    """For the processes that are started meanwhile."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cores)


def let_threads_sleep():
    """OpenMP's threads spin for a while after their work, 4 to 5 ms here: the next contender would
    have a core less."""
    time.sleep(0.008)


def stolen_ticks(cores):
    """What the host of a virtual machine took from these cores so far. It comes in bursts of many
    milliseconds, in which nothing of ours runs but the clock does."""
    lines = (line.split() for line in pathlib.Path("/proc/stat").read_text().splitlines())
    names = {f"cpu{core}" for core in cores}
    return sum(int(words[8]) for words in lines if words[0] in names and len(words) > 8)


class Runner:
    """A contender at work."""

    def __init__(self, contender, workload, threads, cores, seconds):
        self.name, program, variables = contender
        self._worker = Worker(program, workload, threads, variables)
        self._cores = cores
        self._steps = 1
        self.times = [self._worker.seconds_of(1)]
        self._is_skipped = self.name.startswith(TORCH) and self.times[0] > SLOW
        self.loss = None
        if not self._is_skipped:
            self.times = []
            self._worker.seconds_of(COMPARED - 1)
            loss = self._worker.ask("loss")
            self.loss = None if loss == "none" else float(loss)
        self.peak = int(self._worker.ask("peak")) * 1024
        self.version = self._worker.ask("version")
        let_threads_sleep()
        self._calibrate(seconds)

    def _calibrate(self, seconds):
        """Finds out how many steps a repetition takes."""
        while not self._is_skipped:
            taken = self._worker.seconds_of(self._steps)
            if taken >= seconds:
                break
            wanted = 1.2 * seconds / taken if taken > 0 else 10
            self._steps = math.ceil(self._steps * min(max(wanted, 1.1), 10))

    def repeat(self):
        """The first of a few tries that was not disturbed, else the first of those that were least."""
        if self._is_skipped:
            return
        best = (math.inf, 0)
        for _ in range(TRIES):
            before = stolen_ticks(self._cores)
            taken = self._worker.seconds_of(self._steps)
            disturbance = stolen_ticks(self._cores) - before
            if disturbance < best[0]:
                best = (disturbance, taken)
            if disturbance == 0:
                break
        self.times.append(best[1] / self._steps)

    def close(self):
        self._worker.close()
        return {"contender": self.name, "times": self.times, "loss": self.loss, "peak": self.peak,
                "version": self.version}


def measure_workload(workload, options, contenders, after_repetition):
    """All contenders take turns with all numbers of threads, on the same cores, in a new order each
    repetition."""
    # What is compared most closely has its turns close together.
    groups = ([], [])
    for threads in options.threads:
        cores = last_cores(threads)
        with only(cores):
            for contender in contenders:
                # oneDNN has no products of bfloat16 for shorter vectors.
                if workload["bfloat16"] and contender[0] == FLOOR and not has_avx512():
                    continue
                runner = Runner(contender, workload["name"], threads, cores, options.seconds)
                groups[contender[0].startswith(TORCH)].append((threads, runner))
    shuffled = random.Random(1)
    for _ in range(options.repetitions):
        for group in groups:
            shuffled.shuffle(group)
            for _, runner in group:
                let_threads_sleep()
                runner.repeat()
        after_repetition()
    runners = sorted(groups[0] + groups[1], key=lambda pair: (options.threads.index(pair[0]),
                                                              pair[1].name))
    return [{"workload": workload["name"], "threads": threads} | runner.close()
            for threads, runner in runners]


def measure(options):
    contenders = find_contenders(options.programs, options.blas)
    if contenders[-1][0] == FLOOR:
        print(NO_TORCH, file=sys.stderr)
    elif not options.blas and not options.quick:
        print(NO_BLAS, file=sys.stderr)
    workloads = about(options.programs / "train_worker_ours")["workloads"]
    names = options.workloads or list(workloads)
    progress = Progress("training", len(names) * options.repetitions)
    results = []
    for name in names:
        if name not in workloads:
            raise ValueError(f"there is no workload {name}; there are {', '.join(workloads)}")
        results += measure_workload(workloads[name], options, contenders,
                                    lambda name=name: progress.next(name))
    progress.finish()
    return {"benchmark": "train", "is_part": bool(options.workloads),
            "effort": {"seconds": options.seconds, "repetitions": options.repetitions},
            "workloads": list(workloads.values()), "results": results}
