# SPDX-License-Identifier: Apache-2.0
"""docs/scaling.md: what was measured on few ranks, and what the model makes of it."""
import math

from bench import svg
from bench.page import Page, Table
from bench.program import processor
from bench.scale.model import Work
from bench.scale.study import MAX_RANKS, Study, size_text

PROMISED_RATIO = 1.1
PROMISED_FROM = 65536  # bytes
SHOWN = (2, 4, 16, 64, 128, 256, 1024)

HOW = """
* A step is forward, loss, backward, the exchange of gradients and the update, in float32, on one
  thread a rank. It takes as long as its slowest rank; given is the median of about {seconds:g} s of steps.
  "Waiting" is the same with `DataParallelOptions::overlap` off; the two take turns. "No exchange" is the
  mean of as many steps that every rank takes for itself, all at the same time.
* Strong scaling: the ranks share the workload's batch. Weak: each has a whole one. Efficiency is the
  examples that a rank trains in a second, against those of one rank with the workload's batch.
* "Exchange" is the time of the exchange in a step and includes the wait for ranks that come later;
  "hidden" is the share of it during which operators ran as well (`Session::timeline`, median over {timelines}
  runs of every rank). A bucket that is ready last of all cannot be hidden.
* Everything was measured {passes} times, one after the other; the least disturbed time is given: of each step
  the pass in which it took least, of each message the least of each of its times.
* Processes are started by `mpirun` on this machine alone; threads are ranks of one process.
{priority}
{workloads}

## What {cores} can show, and cannot

* Ranks up to that number have a core each. But a rank also has a thread that moves and adds the
  bytes of the exchange, and there is no core left for it: time that is hidden is taken from
  computing. Overlap here shows that both go on at the same time, not that a step becomes shorter.
* More ranks share the cores and are **not** expected to be faster: they show that it works, and what
  it costs to take turns. Their exchange is mostly waiting for the other ranks' turn.
* There is no network. Messages go through the memory of one machine, so their latency and bandwidth
  are those of this memory; nothing below about other networks was measured.

"""

PRIORITY = "* Other programs were running; these had real-time priority (`chrt`) over them.\n"

MODEL = """
## The model

Exchanging: AllReduce of *n* bytes over *P* processes is a reduce-scatter and an all-gather in which
every rank talks to every other directly (`ops/hccl/collectives.cpp`). A rank pays for 2
rounds, for 2(*P* - 1) messages and those by which ranks compare what they are at, for 2(*P* - 1)/*P* · *n*
bytes sent, and for (*P* - 1)/*P* · *n* bytes added. Small sums
(`ops/hccl/algorithm.h`) take one round in which every rank sends everything. Where ranks share cores, all
this takes as many times longer as there are ranks for a core, and a round waits for a turn.

Computing: *fixed* + *each* · examples seconds, for each part of a step between two buckets.

A step: buckets in the order of backward, each copied together and exchanged when its last gradient is there
and the bucket before it has arrived, while computing goes on; what is updated waits for its bucket, which
is divided by the number of ranks first. Copying and dividing take what copying so many bytes took
here. On this machine, where no core is left for the exchange, computing waits instead; and it is slower
by what "no exchange" shows, since ranks share memory and cores.

Parameters are those of the least squares of relative deviations, none negative (`bench/scale/model.py`).

"""

ASSUMPTIONS = """
What is assumed beyond that:

* A node is one rank on one core of this kind, and has another core for the exchange.
* Only latency and bandwidth of the example networks are assumed; what a message and a reduced byte
  cost a processor is what was fitted here.
* Every node can send and receive at its full bandwidth at the same time, with any other: no
  switch is too small, nothing collides.
* All nodes are equally fast and none is ever late. Real machines have jitter, which grows with
  their number.
* Every rank has its batch in memory; reading data costs nothing.

"""


def micro(seconds, digits):
    return f"{seconds * 1e6:.{digits}f}"


def milli(seconds):
    return f"{seconds * 1e3:.2f}"


def signed_percent(share):
    return f"{100 * share:+.0f} %"


# ---- Tables ----


def steps(data, study):
    rows = [[single["workload"], "–", "–", "1", str(single["examples"]), "–", milli(single["seconds"]),
             *["–"] * 5] for single in data["singles"] if study.is_default(single)]
    for step in data["steps"]:
        efficiency = study.efficiency(step)
        rows.append([step["workload"], step["scaling"], step["way"], str(step["ranks"]),
                     str(step["examples"]), size_text(step["bucket_bytes"]), milli(step["seconds"]),
                     f"{100 * efficiency:.0f} %" if efficiency else "", milli(step["waiting"]),
                     milli(step["apart"]), milli(step["exchange"]), f"{100 * step['hidden']:.0f} %"])
    return Table(["workload", "scaling", "ranks are", "ranks", "examples each", "buckets of",
                  "ms a step", "efficiency", "ms, waiting", "ms, no exchange", "ms exchange",
                  "hidden"], rows, "lllr")


def messages(data):
    return Table(["ranks", "message", "MPI_Allreduce µs", "HcclAllReduce µs", "ratio",
                  "HcclReduceScatter µs", "HcclAllGather µs"],
                 [[str(message["ranks"]), size_text(message["bytes"]), micro(message["mpi"], 1),
                   micro(message["all_reduce"], 1), f"{message['all_reduce'] / message['mpi']:.2f}",
                   micro(message["reduce_scatter"], 1), micro(message["all_gather"], 1)]
                  for message in data["messages"]], "r")


def promises(data):
    """Our sum's time against MPI's."""
    rows = []
    for ranks in sorted({message["ranks"] for message in data["messages"]}):
        ratios = [(message["all_reduce"] / message["mpi"], message["bytes"]) for message in data["messages"]
                  if message["ranks"] == ranks and message["bytes"] >= PROMISED_FROM]
        if ratios:
            ratio, size = max(ratios, key=lambda pair: pair[0])
            rows.append(["holds" if ratio <= PROMISED_RATIO else "**fails**",
                         f"sum over {ranks} processes, {size_text(PROMISED_FROM)} and more: at most "
                         f"{PROMISED_RATIO} times MPI_Allreduce",
                         f"{ratio:.2f} at most, for {size_text(size)}"])
    return Table(["", "promise", "measured"], rows, "l")


def networks(study):
    def rate(seconds):
        return f"{1e-9 / seconds:.1f}" if seconds > 0 else "no limit"

    return Table(["network", "µs a round", "µs a message", "GB/s", "GB/s reduced", "µs for a turn"],
                 [[network.name, micro(network.round, 2), micro(network.message, 2), rate(network.byte),
                   rate(network.reduce), micro(network.turn, 2) if network is study.here else "–"]
                  for network in study.networks], "lr")


def lines(study):
    rows = []
    for (workload, bucket_bytes), step in study.steps.items():
        parts = [(f"until bucket {k} ({size_text(bucket.bytes)}) is there", bucket.before,
                  micro(bucket.copy, 0)) for k, bucket in enumerate(step.buckets, 1)]
        rows += [[workload, size_text(bucket_bytes), part, micro(line.fixed, 1), micro(line.each, 2),
                  copy] for part, line, copy in [*parts, ("after it", step.rest, "–")]]
    return Table(["workload", "buckets of", "part of a step", "µs fixed", "µs an example",
                  "µs to copy"], rows, "lllr")


def residuals(all_residuals):
    return Table(["", "ms measured", "ms by the model", "off by"],
                 [[residual.what, f"{residual.measured * 1e3:.3f}", f"{residual.predicted * 1e3:.3f}",
                   signed_percent(residual.relative())] for residual in all_residuals], "lr")


def exchange_residuals(all_residuals):
    """By what they have in common after the size, "AllReduce, 2 ranks"."""
    groups = {}
    for residual in all_residuals:
        kind = residual.what.split(" ")[0] + residual.what[residual.what.rindex(","):]
        groups.setdefault(kind, []).append(residual.relative())
    rows = []
    for name in sorted(groups):
        found = sorted(groups[name], key=abs)
        rows.append([name, str(len(found)), f"{100 * abs(found[len(found) // 2]):.0f} %",
                     signed_percent(found[-1])])
    return Table(["exchange", "sizes", "off by, typically", "at most"], rows, "lr")


def forecasts(study):
    def cell(points, ranks):
        if ranks not in points:
            return "–"
        seconds, efficiency = points[ranks]
        return f"{milli(seconds)} ms, {100 * efficiency:.0f} %"

    return Table(["workload", "scaling", "network", *map(str, SHOWN)],
                 [[forecast.workload, forecast.scaling, forecast.network,
                   *(cell(forecast.points, ranks) for ranks in SHOWN)] for forecast in study.forecasts], "lllr")


def last_forecasts(study):
    rows = []
    for forecast in study.forecasts:
        ranks, (seconds, efficiency) = list(forecast.points.items())[-1]
        rows.append([forecast.workload, forecast.scaling, forecast.network, str(ranks), milli(seconds),
                     f"{100 * efficiency:.0f} %"])
    return Table(["workload", "scaling", "network", "ranks", "ms a step, predicted", "efficiency"],
                 rows, "lllr")


def shares(data, study):
    """Where the time of the whole gradient's exchange goes."""
    return Table(["workload", "network", "rounds", "messages", "bytes", "reducing"],
                 [[workload, network.name,
                   *(micro(part, 0) for part in network.parts(sum(step.exchanges(MAX_RANKS), Work())))]
                  for (workload, bucket_bytes), step in study.steps.items()
                  if bucket_bytes == data["default_bucket"] for network in study.networks], "llr")


# ---- The chart ----

WIDTH = 340  # of a panel
HEIGHT = 190
LEFT = 56
TOP = 84
BETWEEN = 72
BELOW = 64  # of a row of panels, to the next one


class Panel:
    def __init__(self, canvas, left, top):
        self.canvas, self.left, self.top = canvas, left, top

    def place(self, ranks, efficiency):
        return (self.left + WIDTH * math.log2(ranks) / math.log2(MAX_RANKS),
                self.top + HEIGHT * (1 - efficiency))

    def draw_axes(self, title):
        canvas = self.canvas
        canvas.text(self.left, self.top - 8, title, bold=True)
        for percent in range(0, 101, 25):
            y = self.place(1, percent / 100)[1]
            canvas.line(self.left, y, self.left + WIDTH, y, svg.GRID)
            canvas.text(self.left - 6, y + 4, f"{percent} %", fill=svg.FAINT, anchor="end")
        for power in range(0, 11, 2):
            x = self.place(1 << power, 0)[0]
            canvas.line(x, self.top, x, self.top + HEIGHT, svg.GRID)
            canvas.text(x, self.top + HEIGHT + 16, str(1 << power), fill=svg.FAINT, anchor="middle")
        canvas.text(self.left + WIDTH / 2, self.top + HEIGHT + 34, "nodes of one rank", fill=svg.FAINT,
                    anchor="middle")


def chart(data, study):
    """Predicted efficiency by number of ranks, and what was measured where every rank had a core: a
    panel for each workload and kind of scaling."""
    workloads = list(dict.fromkeys(forecast.workload for forecast in study.forecasts))
    canvas = svg.Canvas(LEFT + 2 * WIDTH + BETWEEN + 30, TOP + (HEIGHT + BELOW) * len(workloads) - 12,
                        "Predicted efficiency of data-parallel training")
    colours = {network.name: svg.colour(i) for i, network in enumerate(study.networks)}
    x = LEFT
    for name, colour in colours.items():
        canvas.line(x, 46, x + 18, 46, colour, 2.5)
        canvas.text(x + 24, 50, name)
        x += 44 + svg.text_width(name)
    canvas.circle(x + 4, 46, 4, svg.INK)
    canvas.text(x + 14, 50, "measured")
    for row, workload in enumerate(workloads):
        for column, scaling in enumerate(("weak", "strong")):
            panel = Panel(canvas, LEFT + column * (WIDTH + BETWEEN), TOP + row * (HEIGHT + BELOW))
            panel.draw_axes(f"{workload}, {scaling} scaling")
            for forecast in study.forecasts:
                if (forecast.workload, forecast.scaling) == (workload, scaling):
                    canvas.polyline([panel.place(ranks, efficiency)
                                     for ranks, (_, efficiency) in forecast.points.items()],
                                    colours[forecast.network], 2.5)
            for step in data["steps"]:
                efficiency = study.efficiency(step)
                if ((step["workload"], step["scaling"], step["way"]) == (workload, scaling, "processes")
                        and study.is_default(step) and step["ranks"] <= data["machine"]["cores"] and
                        efficiency):
                    canvas.circle(*panel.place(step["ranks"], min(efficiency, 1)), 4, svg.INK)
    return canvas.finish()


# ---- The page ----


def model_part(study):
    slowdowns = ", ".join(f"{slowdown:.2f} on {ranks} ranks"
                          for ranks, slowdown in study.slowdowns.items())
    return (MODEL + networks(study).markdown() + "\n" + lines(study).markdown() +
            f"\nTimes as long as on one rank, computing takes: {slowdowns}.\n" + ASSUMPTIONS +
            "## How well it describes what was measured\n\nSteps on several processes, which the fit did "
            "not use:\n\n" + residuals(study.stepping).markdown() +
            "\nSteps on one rank, and exchanges, to which it was fitted:\n\n" +
            residuals(study.computing).markdown() + "\n" +
            exchange_residuals(study.exchanging).markdown())


def predicted_part(data, study, stem):
    return (f"\n## What it predicts\n\n![efficiency against the number of nodes]({stem}.svg)\n\n"
            "Steps and efficiency, by the number of nodes. Strong scaling ends where a node has one "
            "example.\n\n" + forecasts(study).markdown() +
            f"\nWhat the exchange of all gradients consists of on {MAX_RANKS} nodes, in µs. Rounds are "
            "few, since every\nrank talks to every other; with many nodes it is the messages that "
            "cost.\n\n" + shares(data, study).markdown())


def page(runs, stem):
    [data] = runs
    study = Study(data)
    machine = data["machine"]
    cores = f"{machine['cores']} core{'s' * (machine['cores'] != 1)}"
    trained = Table(["workload", "what"], [[workload["name"], workload["what"]]
                                           for workload in data["workloads"]], "l")
    text = (f"# Scaling of data-parallel training\n\nWritten by `./dev bench scale` on {data['date']}; "
            "nothing here is typed by hand. "
            "[How to train on several ranks](how-to/train-in-parallel.md); [how cost grows with nodes, "
            "parameters, examples and places](scaling-growth.md)\n\n## How it was measured\n\n"
            f"* Machine: {processor(machine)}, {cores}. Compiler: {machine['compiler']}." +
            HOW.format(**data["effort"], cores=cores, workloads=trained.markdown(),
                       priority=PRIORITY if data["has_priority"] else "") +
            "## Steps\n\n" + steps(data, study).markdown() +
            "\n## Messages\n\nA sum of float32 numbers over all processes, issued and waited for.\n\n" +
            promises(data).markdown() + "\n" + messages(data).markdown())
    tables = [steps(data, study), messages(data), promises(data)]
    if not study.here:
        return Page(tables, text + "\nWithout MPI there is nothing to fit the model to.\n",
                    all_times=tables[0])
    return Page([*tables, networks(study), last_forecasts(study)],
                text + model_part(study) + predicted_part(data, study, stem), chart(data, study),
                all_times=tables[0])
