# SPDX-License-Identifier: Apache-2.0
"""docs/performance-training.md: what is promised of a training step, and all times."""
import collections
from statistics import median_high as median

from bench import faster
from bench.page import NOISE, Page, Promise, Table, promise_sections, promise_table
from bench.runs import load_text, title
from bench.train.measure import COMPARED, FLOOR, OURS, TORCH

# Of a measurement, what a part of it has of its own, and what tells its elements apart.
PARTS = {"results": ("workload", "threads")}

LOSS_TOLERANCE = 1e-4
# Libraries round to bfloat16 at other places.
BFLOAT16_LOSS_TOLERANCE = 2e-2

# Of each workload: microseconds of a step on one thread; times the bare products, on one thread and on
# two; times faster than libtorch, one thread; times faster with two threads; megabytes, where there is
# none half of what libtorch has resident. `why` says what stands in the way of those that were not
# reached when this was written.
Limits = collections.namedtuple(
    "Limits", "us floor_1 floor_2 torch second_thread megabytes why_floor why_torch",
    defaults=("", ""))

# The fastest of W4 and W5: products 78 and 38 ms on a Xeon with AMX, 93 and 44 on an EPYC; the rest 30
# and 14, 21 and 8.
XEON = ("products take less time on a Xeon than on an EPYC, where this holds, and what stands beside "
        "them, which memory limits, takes more")
LIMITS = {
    "W1": Limits(5, None, None, 15, 1, 25),
    "W2": Limits(None, 1.12, 1.2, 1.85, 1.7, 32,
                 "what stands beside the products, AdamW foremost, gains less from a second thread "
                 "than they do"),
    "W3": Limits(None, 1.08, 1.1, 1.12, 1.7, 80),
    "W4": Limits(None, 1.3, 1.3, 1.25, 1.7, None, XEON),
    "W5": Limits(None, 1.3, 1.3, 1.4, 1.7, None, XEON,
                 "libtorch is at less than 1.5 times the bare products, which leave no more than that"),
    "W6": Limits(None, None, None, 1.5, 1.6, None),
    "W7": Limits(None, 1.3, 1.3, 1.3, 1.6, None),
    "W8": Limits(None, None, None, 1.3, 1.6, None),
}
# A step in bfloat16 takes at most so many times as long as in float32: with AVX512_BF16, with AMX.
BFLOAT16_LIMITS = [
    ("W4b", "W4", 0.75, 0.55,
     "products are a third of the step: batch norm, ELU, pooling and the update, which read and "
     "write memory, are most of the rest"),
    ("W5b", "W5", 0.75, 0.55, ""),
    ("W7b", "W7", 0.75, 0.55, ""),
    ("W8b", "W8", 0.75, 0.55, ""),
]

HOW = """
* One step is forward, loss, backward and update in float32. All start with the same weights
  and the same batch; the losses of step {compared} agree within 1e-4. Where a name ends in b, activations and
  products are in bfloat16 and the rest as before; libtorch does so by autocast, and losses agree within
  2 %.
* Each table says how many programs wanted a core on average when it was begun: above 0.1 the machine was
  shared, and times are too long. Ratios suffer less.
* Ours is one run of a session, which is fed the batch and its labels anew in every step. libtorch is
  its C++ interface, eager, with its own modules and optimizers; its batch stands in its memory
  already. "avx512" is ATEN_CPU_CAPABILITY=avx512; after the comma stands the BLAS library put in the
  place of the system's (OPENBLAS_CORETYPE makes OpenBLAS use AVX-512). The best of these is what a promise compares with.
* "Bare products" are the matrix products and convolutions of the step and nothing else, by oneDNN's
  primitives, made beforehand and executed bare; images and weights lie in memory as each of its
  convolutions likes them best.
* Each candidate is a process of its own, on the same cores, one for each thread; they take turns, in a new
  order each time. Given are the median of the repetitions and the fastest of them. A repetition during
  which the host of a virtual machine took time from its cores (/proc/stat) is tried again, six times in
  all; if it always did, the one that lost least counts. Who takes how many times as long is the median of
  the quotients of each repetition: machines change their speed, and these runs were soon after each
  other. Of what was measured before 2026-11-29 only the medians are kept. Peak MB (10^6 bytes) is what was resident at most in a process that
  has only trained this workload.

"""


def times_as_long(figures, other):
    """The median over the repetitions, in which both ran soon after each other. On a machine whose
    speed changes meanwhile this says more than two medians."""
    if len(figures["times"]) != len(other["times"]):  # who was passed over has one time only
        return median(figures["times"]) / median(other["times"])
    return median(a / b for a, b in zip(figures["times"], other["times"]))


class Result(dict):
    """What the contenders took for a workload on a number of threads, by their names."""

    @property
    def torch(self):
        """The fastest setting of libtorch."""
        return min((name for name in sorted(self) if name.startswith(TORCH)), default=None,
                   key=lambda name: median(self[name]["times"]))


def grouped(results):
    """By workload and number of threads."""
    found = {}
    for figures in results:
        found.setdefault((figures["workload"], figures["threads"]), Result())[figures["contender"]] = figures
    return found


def promised(text, value, bound, form="{:.2f}", least=False, why="", noise=NOISE):
    """`value` is None where it was not measured."""
    if value is None:
        return Promise(text)
    return Promise(text, form.format(value),
                   value >= bound * (1 - noise) if least else value <= bound * (1 + noise), why)


def workload_promises(name, limits, single, pair):
    def ratio(result, contender, other_result, other):
        if not (result and other_result and contender in result and other in other_result):
            return None
        return times_as_long(result[contender], other_result[other])

    if limits.us:
        yield promised(f"{name}, 1 thread: at most {limits.us} µs",
                       single and median(single[OURS]["times"]) * 1e6, limits.us,
                       "{:.2f} µs", noise=0)
    for threads, result, bound in ((1, single, limits.floor_1), (2, pair, limits.floor_2)):
        if bound:
            yield promised(f"{name}, {threads} thread{'s' * (threads > 1)}: at most {bound} times the "
                           "bare products", ratio(result, OURS, result, FLOOR), bound,
                           why=limits.why_floor)
    torch = single and single.torch
    yield promised(f"{name}, 1 thread: at least {limits.torch} times as fast as libtorch",
                   torch and ratio(single, torch, single, OURS), limits.torch,
                   f"{{:.2f}} ({torch})", least=True, why=limits.why_torch)
    yield promised(f"{name}: 2 threads not slower than one" if limits.second_thread == 1 else
                   f"{name}: 2 threads at least {limits.second_thread} times as fast as one",
                   ratio(single, OURS, pair, OURS), limits.second_thread, least=True)
    if limits.megabytes:
        yield promised(f"{name}: at most {limits.megabytes} MB resident, 1 thread",
                       single and single[OURS]["peak"] / 1e6, limits.megabytes,
                       "{:.1f} MB", noise=0)
    else:
        yield promised(f"{name}: at most half of libtorch's memory, 1 thread",
                       torch and single[OURS]["peak"] / single[torch]["peak"], 0.5, noise=0)


def bfloat16_promises(results, flags):
    """The two workloads were not measured by turns, so that their medians count."""
    has_tiles = "amx_bf16" in flags
    if not has_tiles and "avx512_bf16" not in flags:
        return
    for name, float32, with_vectors, with_tiles, why in BFLOAT16_LIMITS:
        for threads in (1, 2):
            narrow, wide = results.get((name, threads)), results.get((float32, threads))
            if narrow and wide:
                bound = with_tiles if has_tiles else with_vectors
                yield promised(
                    f"{name}, {threads} thread{'s' * (threads > 1)}: at most {bound} times as long as "
                    f"{float32}, with {'AMX' if has_tiles else 'AVX512_BF16'}",
                    median(narrow[OURS]["times"]) / median(wide[OURS]["times"]), bound, why=why)


def promises(results, flags):
    found = []
    for name, limits in LIMITS.items():
        single, pair = results.get((name, 1)), results.get((name, 2))
        if single or pair:  # else it was not asked for
            found += workload_promises(name, limits, single, pair)
    return found + list(bfloat16_promises(results, flags))


def disagreements(results, workloads):
    """Who computes another loss than we do."""
    narrow = {workload["name"] for workload in workloads if workload["bfloat16"]}
    for (workload, threads), result in results.items():
        ours = result[OURS]["loss"]
        tolerance = BFLOAT16_LOSS_TOLERANCE if workload in narrow else LOSS_TOLERANCE
        for name, figures in result.items():
            loss = figures["loss"]
            if loss is not None and not abs(loss - ours) <= tolerance * abs(ours):
                yield (f"{workload} with {threads} thread(s), step {COMPARED}: our loss is {ours:.7g}, "
                       f"that of {name} {loss:.7g}")


def all_times(results):
    rows = []
    for (workload, threads), result in results.items():
        for name in sorted(sorted(result), key=lambda name: median(result[name]["times"])):
            times = result[name]["times"]
            rows.append([workload, str(threads), name, f"{median(times) * 1e6:.2f}",
                         f"{min(times) * 1e6:.2f}",
                         f"{times_as_long(result[name], result[OURS]):.2f}",
                         f"{result[name]['peak'] / 1e6:.1f}"])
    return Table(["workload", "threads", "who", "µs a step", "fastest", "times ours", "peak MB"], rows,
                 "lrlr")


def compared(run):
    """What the fastest libtorch takes beside ours."""
    for (workload, threads), result in grouped(run["results"]).items():
        if result.torch:
            yield faster.Compared(f"{workload} threads={threads}", result.torch,
                                  1 / times_as_long(result[result.torch], result[OURS]))


def machine_section(run, marks):
    versions = sorted({figures["version"] for figures in run["results"] if figures["contender"] != OURS})
    effort, machine = run["effort"], run["machine"]
    return (f"{marks} {title(run)}\n\nOn {run['date']}{load_text(machine)}. Compiler: "
            f"{machine['compiler']}. Beside: {', '.join(versions)}. {effort['repetitions']} repetitions, "
            f"each of at least {effort['seconds'] * 1e3:g} ms.\n\n")


def run_sections(run):
    results = grouped(run["results"])
    return (machine_section(run, "##") +
            promise_sections(promises(results, run["machine"]["flags"]), "###") +
            "\n### All times\n\n" + all_times(results).markdown() + "\n")


def page(runs, _):
    known = {workload["name"]: workload["what"] for run in reversed(runs) for workload in run["workloads"]}
    workloads = Table(["workload", "what"], [[name, known[name]] for name in sorted(known)], "l")
    text = ("# Performance of training\n\nWritten by `./dev bench train`; nothing here is typed by hand, "
            "but for the reasons.\n\n" +
            faster.section(runs, lambda run: list(compared(run))) +
            "\n## How it was measured\n" + HOW.format(compared=COMPARED) + workloads.markdown() +
            "\nPromises are for processors with AVX-512: shorter vectors lengthen what a step has "
            "beside its products.\n\n" + "\n".join(map(run_sections, runs)).rstrip() + "\n")
    results = grouped(runs[0]["results"])
    times = all_times(results)
    return Page([times, promise_table(promises(results, runs[0]["machine"]["flags"]))], text,
                all_times=times, failures=list(disagreements(results, runs[0]["workloads"])))
