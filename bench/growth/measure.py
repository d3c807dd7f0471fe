# SPDX-License-Identifier: Apache-2.0
"""Runs the points of the curves. In the measurement, in seconds and bytes, by the curve's name:

    curves    points with "size" and what growth_step.cpp or, of ranks, scale_step.cpp tells of it"""
import json
import subprocess

from bench.program import Progress, about
from bench.scale.measure import NO_MPI, Ranks

# Up to a million nodes, a hundred million parameters and sixteen thousand places, by factors of 4 or
# 10, so that a curve takes about a minute; --quick has the first ones.
SIZES = {
    "nodes": [1000, 4000, 16000, 64000, 250000, 1000000],
    "layers": [4 ** k * 25 for k in range(1, 6)],
    "parameters": [10 ** 4, 10 ** 5, 10 ** 6, 10 ** 7, 3 * 10 ** 7, 10 ** 8],
    "batch": [4 ** k for k in range(1, 8)],
    "length": [4 ** k for k in range(2, 8)],
    "ranks": [1, 2, 4, 8],
}
# Of the curve of ranks.
WORKLOAD = "W2"
BATCH = 128


def on_ranks(options, ranks, known):
    step = Ranks(options).step({"workload": WORKLOAD, "ranks": ranks, "examples": BATCH,
                                "bucket_bytes": known["default_bucket"]})
    return {"size": ranks, "step": step["seconds"]}


def point(options, curve, size, known):
    if curve == "ranks":
        return on_ranks(options, size, known)
    done = subprocess.run([options.programs / "growth_step", curve, str(size), str(options.seconds)],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"growth_step {curve} {size} failed")
    return json.loads(done.stdout)


def measure(options):
    known = about(options.programs / "scale_step")
    sizes = {curve: SIZES[curve][:2 if options.quick else None] for curve in options.curves}
    if not options.mpiexec and sizes.pop("ranks", None):
        print(NO_MPI)
    progress = Progress("growth", sum(map(len, sizes.values())))
    curves = {}
    for curve, some in sizes.items():
        curves[curve] = []
        for size in some:
            progress.next(f"{size} {curve}")
            curves[curve].append(point(options, curve, size, known))
    progress.finish()
    return {"benchmark": "growth", "effort": {"seconds": options.seconds}, "curves": curves}
