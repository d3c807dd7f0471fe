# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md: what is promised of the operators' speed, tables and a chart.

Of other data the measurement has the least seconds of a call."""
import math

from bench import faster
from bench.kernels.cells import OURS, STORES, Cell, Cells, is_plain
from bench.kernels.chart import chart
from bench.page import NOISE, Page, Promise, Table, grid, promise_sections, promise_table
from bench.runs import load_text, title

# Of a measurement, what a part of it has of its own, and what tells its elements apart.
PARTS = {"cells": ("operation", "dtype", "size", "layout", "threads"), "data": ("operation", "dtype")}
NO_TORCH = "libtorch was not found: install libtorch-dev to compare with it, then build again"

# Below this size a call is over before another thread has woken.
MIN_FOR_THREADS = 1 << 20
LARGEST = 1 << 24
SMALL_PRODUCT = 32 * 16 * 16

HOW = """
* Every cell is run by Google Benchmark: all contenders on the same memory, their repetitions
  shuffled, the median of them (3 above 4M elements, 1 for who needs more than 0.1 s). "ATen avx512" is libtorch with ATEN_CPU_CAPABILITY=avx512, in a process of its own that takes
  its turns between the others; not for strided and transposed views, which have no vector code in it.
  A repetition on one thread is measured again, five times in all, if the core was taken from it; if it
  always was, the first counts.
* Ours is phase two of a repeatable executor and aclrtSynchronizeStream. A peer is called bare, and
  oneDNN's primitives are made beforehand. A peer that lacks an operator, a dtype or vector code for a
  layout is left out. ELU is measured with alpha, scale and inputScale 1 and, "scaled", with 5/4, 3/4
  and 3/2, which oneDNN lacks. It has no SELU either: its bare ELU stands in its place, which does less.
  libtorch has no GEGLU: measured is the composition of its calls that a model and its autograd make,
  with the memory that it allocates for what lies between.
* The limit is a pass over as many streams of as many bytes as the operator reads and writes, with
  hardly any arithmetic, by ordinary stores or by non-temporal ones. "Of the limit" means of the faster
  of the two; caches make it high for small tensors.
* Data: normal(0, 1), and in a table of their own other kinds, of which the least of 15 rounds counts.
  "Outside": inputs of a backward that are no result of its forward. Elements are those of the largest
  tensor; for a matrix product, its multiplications. Speeds are in 10^9 elements a second. Strided:
  every second element of the inputs; transposed: the inputs are transposed matrices; row-broadcast:
  one input is a row, repeated by a stride of 0. Outputs are contiguous.
* Layers take turns in one run: sessions of ours, and libtorch with its AVX-512 code and OpenBLAS upon
  OpenMP. On one thread it is processor time that is measured, on more the clock. "and backward": with the
  gradients of everything. What another form of ours is faster at counts as lost, too.

"""

REST = """
## The rest

| table | what it has |
|---|---|
| [elementwise.csv]({0}/elementwise.csv) | the speed of every contender, contiguous tensors of the largest size, one thread |
| [training.csv]({0}/training.csv), [networks.csv]({0}/networks.csv), [products.csv]({0}/products.csv) | the speed of every contender: training, operators of networks, matrix products, one thread |
| [layouts.csv]({0}/layouts.csv) | time on strided, transposed and row-broadcast views as a multiple of that on contiguous tensors, one thread |
| [threads.csv]({0}/threads.csv) | the speed of all threads as a multiple of one thread's |
| [other-data.csv]({0}/other-data.csv) | time on other data as a multiple of that on normal data, 64K elements, one thread |
"""


# ---- What is promised ----


def figures(cells, wanted, figure):
    """The figures of the cells that are wanted and have one, each with its cell, by size."""
    found = [(figure(cell), cell) for cell in cells if wanted(cell)]
    return sorted((pair for pair in found if pair[0] is not None), key=lambda pair: pair[0])


def every(text, found, bound, why="", most=False):
    """Every figure must reach the bound; with `most`, none may pass it."""
    if not found:
        return Promise(text)
    value, cell = found[-1 if most else 0]
    kept = sum(value <= bound * (1 + NOISE) if most else value >= bound * (1 - NOISE)
               for value, _ in found)
    return Promise(text, f"{kept} of {len(found)} cells; {'most' if most else 'least'} {value:.2f} "
                         f"({cell})", kept == len(found), why)


def mean(text, found, least, why=""):
    """On the geometric mean; says too what it would be if ours were as fast as the memory's limit."""
    if not found:
        return Promise(text)

    def mean_of(values):
        return math.exp(sum(map(math.log, values)) / len(found))

    value = mean_of([ratio for ratio, _ in found])
    shown = f"{value:.2f} over {len(found)} cells, {found[0][0]:.2f} to {found[-1][0]:.2f}"
    if all(cell.limit for _, cell in found):
        possible = mean_of([ratio * cell.ours / cell.limit for ratio, cell in found])
        shown += f"; the memory's limit would be {possible:.2f}"
    return Promise(text, shown, value >= least * (1 - NOISE), why)


def peer_promises(cells):
    def found(wanted):
        return figures(cells, lambda cell: cell.threads == 1 and wanted(cell), Cell.against_peer)

    def contiguous(*groups, prefix=""):
        return found(lambda cell: cell.group in groups and cell.is_contiguous and
                     cell.operation.startswith(prefix))

    forward = [pair for pair in contiguous("geglu")
               if not pair[1].operation.startswith("GeGluBackward")]
    return [
        every("elementwise operators: at least as fast as the best peer in every cell, 1 thread",
              found(lambda cell: cell.is_elementwise), 1,
              "16-bit results are the nearest elements, and those in FLOAT within a unit in the last "
              "place: that takes more operations than the peers' formulas"),
        mean("GELU and GEGLU: geometric mean at least 3 times the best peer",
             contiguous("gelu", "geglu"), 3,
             "libtorch 2.6 has vectors for 16 bits and for the backwards, which 1.13 lacked"),
        mean("ELU (alpha, scale, inputScale 1) and SELU: geometric mean at least 1.5 times the best "
             "peer", contiguous("elu"), 1.5,
             "in FLOAT the exponential and all products keep half as many digits again, and vectors "
             "are looked over for what a formula cannot say"),
        mean("GEGLU forward: at least 8 times the framework's composition", forward, 8,
             "in FLOAT the composition is made of vectors, too, and loses only what it stores between "
             "its parts"),
        mean("GEGLU backward: at least 8 times the framework's composition",
             contiguous("geglu", prefix="GeGluBackward"), 8,
             "the composition of libtorch 2.6 is made of vectors in 16 bits, too"),
        every("training operators: at least as fast as the best peer in every cell, 1 thread",
              found(lambda cell: cell.group in ("training", "optimizer")), 1,
              "sums are added in double"),
    ]


def memory_promises(cells):
    def of_non_temporal(cell):
        limit = cell.seconds.get(STORES[1])
        return limit and limit / cell.ours

    def speedup(cell):
        alone = cells.like(cell, threads=1)
        # Bound by memory: even the bare passes would not be twice as fast as one thread of ours.
        if alone is None or cell.limit is None or cell.limit * 2 > alone.ours:
            return None
        return alone.ours / cell.ours / cell.threads

    def against_contiguous(cell):
        contiguous = cells.like(cell, layout="contiguous")
        return contiguous and cell.ours / contiguous.ours

    return [
        every("16M FLOAT, 1 thread: at least 0.9 of the memory's limit with non-temporal stores",
              figures(cells, lambda cell: cell.is_elementwise and cell.dtype == "FLOAT" and
                      cell.threads == 1 and cell.elements == LARGEST, of_non_temporal), 0.9,
              "formulas of 20 operations a vector and more take longer than memory"),
        every("AdamW on 16M parameters: at least 0.9 of the memory's limit",
              figures(cells, lambda cell: cell.group == "optimizer" and cell.threads == 1 and
                      cell.elements == LARGEST, lambda cell: cell.limit and cell.limit / cell.ours),
              0.9, "a root and a quotient for each parameter take longer than memory"),
        every("all threads, where memory is not the limit: at least 0.9 of as many times one "
              "thread's speed (2 threads: 1.8)",
              figures(cells, lambda cell: cell.is_elementwise and cell.threads != 1 and
                      cell.elements >= MIN_FOR_THREADS, speedup), 0.9,
              "10 to 50 µs of work are over before a second core that slept is under way, and on a "
              "machine that others share it may not be free"),
        every("strided and transposed views: at most 3 times the time of contiguous tensors",
              figures(cells, lambda cell: cell.threads == 1 and
                      cell.layout in ("strided", "transposed"), against_contiguous), 3,
              "where contiguous tensors are copied at the speed of the caches", most=True),
    ]


def product_promises(cells):
    def found(is_small, figure):
        return figures(cells, lambda cell: cell.group == "matmul" and cell.threads == 1 and
                       (cell.elements == SMALL_PRODUCT) == is_small and "oneDNN" in cell.seconds,
                       lambda cell: figure(cell.ours, cell.seconds["oneDNN"]))

    return [
        every("matrix products: at most 1.05 of oneDNN's time",
              found(False, lambda ours, bare: ours / bare), 1.05,
              "in BFLOAT16 oneDNN adds two terms at a time: "
              "[decision 8](decisions/0008-own-products-and-threads.md)", most=True),
        every("matrix product 32x16x16: at most 0.3 µs above oneDNN",
              found(True, lambda ours, bare: (ours - bare) * 1e6), 0.3,
              "a launch and the wait for it, which a bare primitive does without", most=True),
    ]


def launch_promises(launch):
    def at_most(text, seconds, bound):
        return Promise(text, f"{seconds * 1e6:.2f} µs", seconds <= bound * (1 + NOISE))

    return [at_most("phase two of a repeatable executor and the wait, 16 elements: 0.5 µs",
                    launch["phase_two"], 0.5e-6),
            at_most("phase one, 16 elements: 1 µs", launch["phase_one"], 1e-6)]


def data_ratios(cell):
    """Of each kind of data its time as a multiple of that on normal data."""
    return {kind: seconds / cell["seconds"]["normal"]
            for kind, seconds in cell["seconds"].items() if kind != "normal"}


def data_bound(cell, kind):
    if kind == "[-20, 20]" or kind.endswith("N(0,1)"):
        return 1.25
    # Their results are subnormal numbers.
    is_subnormal = kind == "subnormal" or (kind == "tiny" and cell["dtype"] == "FLOAT16")
    return 3.0 if is_subnormal else 2.0


def data_promises(cells):
    promised = {1.25: "data in [-20, 20] or a N(0,1): at most 1.25 times the time on normal data",
                2.0: "other data: at most 2.0 times",
                3.0: "data whose results are subnormal: at most 3.0 times"}
    found = {bound: [] for bound in promised}
    for cell in cells:
        for kind, ratio in data_ratios(cell).items():
            found[data_bound(cell, kind)].append(
                (ratio, f"{cell['operation']} {cell['dtype']}, {kind}"))
    return [every(text, sorted(found[bound]), bound,
                  "[other data](measurements/other-data.md) says why for each", most=True)
            for bound, text in promised.items()]


def promises(data, cells):
    return (peer_promises(cells) + memory_promises(cells) + product_promises(cells) +
            (launch_promises(data["launch"]) if "launch" in data else []) +
            data_promises(data.get("data", [])))


# ---- Tables ----


def summary(cell):
    """"1.85 · 3.2x · 95 %": speed, against the best peer, of the memory's limit."""
    peer = f"{cell.against_peer():.2g}x" if cell.best_peer else "–"
    limit = f" · {100 * cell.limit / cell.ours:.0f} %" if cell.limit else ""
    return f"{cell.rate(cell.ours):.3g} · {peer}{limit}"


def by_size(cells, dtype):
    return grid("operator", ((cell.operation, cell.size, summary(cell)) for cell in cells
                             if is_plain(cell) and cell.dtype == dtype and cell.threads == 1))


def speeds(cells, wanted):
    """A column for each contender, on one thread."""
    def contenders(cell):
        peers = sorted(set(cell.seconds) - {OURS, *STORES})
        return [name for name in (OURS, *peers, *STORES) if name in cell.seconds]

    return grid("operator", ((f"{cell.operation} {cell.dtype} {cell.size}", name,
                              f"{cell.rate(cell.seconds[name]):.3g}")
                             for cell in cells if cell.threads == 1 and wanted(cell)
                             for name in contenders(cell)))


def layouts(cells):
    pairs = ((cell, cells.like(cell, layout="contiguous")) for cell in cells
             if not cell.is_contiguous and cell.threads == 1)
    return grid("operator", ((f"{cell.operation} {cell.dtype}", f"{cell.layout} {cell.size}",
                              f"{cell.ours / base.ours:.2f}") for cell, base in pairs if base))


def threads(cells):
    pairs = ((cell, cells.like(cell, threads=1)) for cell in cells
             if is_plain(cell) and cell.threads != 1)
    return grid("operator", ((f"{cell.operation} {cell.dtype}", cell.size,
                              f"{base.ours / cell.ours:.2f}") for cell, base in pairs if base))


def other_data(cells):
    rows, kinds = [], []
    for cell in cells:
        ratios = data_ratios(cell)
        kinds = list(ratios)
        rows.append([f"{cell['operation']} {cell['dtype']}", f"{max(ratios.values()):.2f}",
                     f"{cell['seconds']['normal'] * 1e6:.1f}",
                     *(f"{ratio:.2f}" for ratio in ratios.values())])
    return Table(["operator", "worst", "normal, µs", *kinds], rows, "lr")


def slow_data(cells):
    """The operators that take more than twice as long on some other data, worst first."""
    rows = []
    for cell in cells:
        slow = {kind: ratio for kind, ratio in data_ratios(cell).items() if ratio > 2}
        kinds = sorted(slow, key=slow.get, reverse=True)
        if slow:
            rows.append((slow[kinds[0]], [f"{cell['operation']} {cell['dtype']}",
                                          f"{cell['seconds']['normal'] * 1e6:.1f}",
                                          ", ".join(f"{kind} {slow[kind]:.1f}" for kind in kinds)]))
    rows.sort(key=lambda row: -row[0])
    return Table(["operator", "normal data, µs", "times as long on"], [row for _, row in rows], "lrl")


def files(data, cells):
    largest = max((cell.elements for cell in cells if is_plain(cell)), default=0)
    return {
        "elementwise.csv": speeds(cells, lambda cell: is_plain(cell) and cell.elements == largest),
        "training.csv": speeds(cells, lambda cell: cell.group in ("training", "optimizer")),
        "networks.csv": speeds(cells, lambda cell: cell.group == "network"),
        "products.csv": speeds(cells, lambda cell: cell.group == "matmul"),
        "layouts.csv": layouts(cells),
        "threads.csv": threads(cells),
        "other-data.csv": other_data(data.get("data", [])),
    }


def terminal(cells):
    rows = []
    for cell in cells:
        peer = (f"{cell.rate(cell.seconds[cell.best_peer]):.3f}", cell.best_peer,
                f"{cell.against_peer():.2f}x") if cell.best_peer else ("-", "none", "-")
        limit = (f"{cell.rate(cell.limit):.3f}",
                 f"{100 * cell.limit / cell.ours:.0f}%") if cell.limit else ("-", "-")
        rows.append([cell.operation, cell.dtype, cell.size, cell.layout, str(cell.threads),
                     f"{cell.rate(cell.ours):.3f}", *peer, *limit])
    return Table(["operation", "dtype", "size", "layout", "threads", "G/s", "best peer G/s",
                  "which", "ratio", "limit G/s", "of limit"], rows, "llllrrrlr")


def all_times(data):
    def rows(cell):
        for name, seconds in cell["seconds"].items():
            kind, who = ("normal", name) if OURS in cell["seconds"] else (name, OURS + " (best of rounds)")
            yield [cell["operation"], cell["dtype"], cell["size"], cell["layout"], kind,
                   cell["threads"], cell["elements"], who, f"{seconds:.4g}",
                   f"{cell['elements'] / seconds:.4g}"]

    return Table(["operation", "dtype", "size", "layout", "data", "threads", "elements", "contender",
                  "seconds", "elements per second"],
                 [row for cell in data["cells"] + data.get("data", []) for row in rows(cell)], "l")


# ---- The page ----


def effort_text(data):
    effort = data["effort"]
    passes = "" if effort["passes"] == 1 else (
        f" Of {effort['passes']} passes over all cells the one that was fastest for it counts, as other "
        "programs slow this machine down at times.")
    return (f" Kernels for {data['instruction_set']}. {effort['repetitions']} repetitions, each of at "
            f"least {effort['seconds'] * 1e3:g} ms.{passes}")


def machine_text(data):
    machine, peers = data["machine"], data.get("peers", []) + data.get("layer_peers", [])
    has_torch = any("libtorch" in peer for peer in peers)
    return (f"On {data['date']}{load_text(machine)}, {machine['cores']} core(s). "
            f"Compiler: {machine['compiler']}. Beside: {', '.join(peers)}." +
            (effort_text(data) if "effort" in data else "") + ("" if has_torch else f" {NO_TORCH}.") + "\n\n")


def layers(cells):
    """Milliseconds of what recurrent layers and attention take, by who computes them."""
    return grid("layer", ((f"{cell.operation} {cell.dtype} {cell.size} threads={cell.threads}", name,
                           f"{seconds * 1e3:.3g}")
                          for cell in cells if cell.group == "layer"
                          for name, seconds in cell.seconds.items()))


def run_sections(data, cells, marks):
    text = promise_sections(promises(data, cells), marks)
    for dtype in ("FLOAT", "BFLOAT16", "FLOAT16"):
        text += (f"\n{marks} {dtype}, contiguous, one thread: speed · against the best peer · of the "
                 f"limit\n\n{by_size(cells, dtype).markdown()}")
    if any(cell.group == "layer" for cell in cells):
        text += f"\n{marks} Layers: milliseconds\n\n{layers(cells).markdown()}"
    return text


def compared(data):
    return [faster.Compared(str(cell), cell.best_peer, 1 / cell.against_peer())
            for cell in Cells(data["cells"]) if cell.best_peer]


def slow_section(data):
    if "data" not in data:
        return ""
    slow = slow_data(data["data"])
    return ("\n## Where other data take more than twice the time of normal data\n\n"
            "64K elements, one thread; [why](measurements/other-data.md).\n\n" +
            (slow.markdown() if slow.rows else "Nowhere.\n"))


def page(runs, stem):
    """The first run has the chart, the tables in files and its own at the top level."""
    data, *others = runs
    cells = Cells(data["cells"])
    levels = other_data(data.get("data", []))
    if not cells:  # --data
        return Page([levels], "", all_times=all_times(data))
    text = ("# Performance\n\nWritten by `./dev bench kernels`, `products`, `recurrent` and `attention`; "
            "nothing here is typed by hand, but for the reasons. Whole training steps have [a page of their "
            f"own](performance-training.md).\n\n" + faster.section(runs, compared) +
            "\n## How it was measured\n" + HOW + f"## {title(data)}\n\n" + machine_text(data) +
            f"![speed]({stem}.svg)\n\n" + run_sections(data, cells, "##") + slow_section(data) + REST.format(stem) +
            "".join(f"\n## {title(run)}\n\n" + machine_text(run) +
                    run_sections(run, Cells(run["cells"]), "###") for run in others))
    return Page([terminal(cells), levels, promise_table(promises(data, cells))], text, chart(cells),
                files(data, cells), all_times(data))
