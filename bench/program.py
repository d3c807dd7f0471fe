# SPDX-License-Identifier: Apache-2.0
"""What the programs that measure and report have in common.

A program measures into one object of JSON and draws its page from that alone:

    {"benchmark": "train", "date": "2026-11-28", "is_part": false,
     "machine": {"system": "Debian 13", "processor": ..., "flags": [...], "cores": 2, "load": 0.1,
                 "compiler": "g++ 14.2.0"},
     "effort": {"seconds": 0.1, "repetitions": 15},
     ... the figures, in seconds and bytes; see the measure.py or json.cpp of each}

--json keeps that object, --from draws it again without measuring. The pages of train and kernels are
drawn of several such objects, which runs.py keeps beside them."""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys


HIDDEN = argparse.SUPPRESS


def positive(number):
    def parsed(text):
        value = number(text)
        if value <= 0:
            raise argparse.ArgumentTypeError(f"{text} is not positive")
        return value

    parsed.__name__ = number.__name__
    return parsed


def new_file(text):
    """A file to be written after minutes of measuring: that its folder is missing is better found
    out before."""
    path = pathlib.Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {path.parent}")
    return path


def processor_info():
    """The first processor's lines of /proc/cpuinfo."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def has_avx512():
    return {"avx512f", "avx512vl", "avx512bw", "avx512dq"} <= set(
        processor_info().get("flags", "").split())


def for_openblas():
    """OpenBLAS does not know newer processors and takes its oldest code for them."""
    return {"OPENBLAS_CORETYPE": "SkylakeX"} if has_avx512() else {}


def installed_blas():
    """Folders with a libblas.so.3: the variants of OpenBLAS beside the system's default."""
    return [library.parent for variant in ("openblas-openmp", "openblas-pthread")
            for library in sorted(pathlib.Path("/usr/lib").glob(f"*/{variant}/libblas.so.3"))]


# Of the processor's flags, those that a page tells of.
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2"}
BFLOAT16_PRODUCTS = {"avx512_bf16": "AVX512_BF16", "amx_bf16": "AMX"}


def system():
    """"Debian 13"."""
    try:
        lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return "an unknown system"
    known = {key: value.strip('"') for key, _, value in (line.partition("=") for line in lines)}
    return f"{known.get('NAME', '').split(' ')[0]} {known.get('VERSION_ID', '')}".strip()


def machine(compiler):
    info = processor_info()
    flags = info.get("flags", "").split()
    return {"system": system(),
            "processor": info.get("model name", "an unknown processor"),
            "flags": [flag for flag in [*VECTORS, *BFLOAT16_PRODUCTS] if flag in flags],
            "knows_flags": bool(flags),
            "cores": len(os.sched_getaffinity(0)),
            "load": os.getloadavg()[0],
            "compiler": compiler}


def processor(machine):
    """Its name, the longest vectors that it computes with, and what it multiplies bfloat16 by."""
    flags = machine["flags"]
    if not machine["knows_flags"]:
        return machine["processor"]
    vectors = next((name for flag, name in VECTORS.items() if flag in flags), "SSE")
    products = [name for flag, name in BFLOAT16_PRODUCTS.items() if flag in flags]
    return ", ".join([machine["processor"], vectors, *products])


def about(program):
    """What a program tells of itself, "workloads" (workload.cpp) among it: those by their names."""
    told = subprocess.run([program, "--about"], capture_output=True, text=True, check=True)
    found = json.loads(told.stdout)
    return found | {"workloads": {workload["name"]: workload for workload in found["workloads"]}}


class Progress:
    """A line on standard error, where that is a terminal; else, in a log, one for each new thing."""

    def __init__(self, title, total):
        self._title, self._total, self._done, self._what = title, total, 0, None

    def next(self, what):
        if sys.stderr.isatty():
            print(f"\r\033[K{self._title} {self._done}/{self._total} {what}", end="",
                  file=sys.stderr, flush=True)
        elif what != self._what:
            print(f"{self._title} {self._done}/{self._total} {what}", file=sys.stderr, flush=True)
        self._done, self._what = self._done + 1, what

    def finish(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)


def parser(program, description):
    options = argparse.ArgumentParser(program, description=description, allow_abbrev=False,
                                      formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    options.set_defaults(benchmark=program.removeprefix("bench_"))
    options.add_argument("--markdown", type=new_file, default=argparse.SUPPRESS, metavar="FILE",
                         help="write the page, and what belongs to it beside it")
    options.add_argument("--csv", type=new_file, default=argparse.SUPPRESS, metavar="FILE",
                         help="write all times")
    options.add_argument("--json", type=new_file, default=argparse.SUPPRESS, metavar="FILE",
                         help="write the measurement")
    options.add_argument("--from", dest="source", type=pathlib.Path, default=argparse.SUPPRESS,
                         metavar="FILE", help="draw what --json wrote, measure nothing")
    # From the script that the build makes.
    options.add_argument("--programs", type=pathlib.Path, default=".", help=HIDDEN)
    options.add_argument("--compiler", default="", help=HIDDEN)
    return options


def write_page(page, path):
    if page.markdown:
        path.write_text(page.markdown)
    if page.chart:
        path.with_suffix(".svg").write_text(page.chart)
    for name, table in page.files.items():
        path.with_suffix("").mkdir(exist_ok=True)
        (path.with_suffix("") / name).write_text(table.csv())


def draw(page, options):
    if (path := getattr(options, "csv", None)) and page.all_times:
        path.write_text(page.all_times.csv())
    for table in page.tables:
        print(table.terminal(), end="")
    for line in page.failures:
        print(line)
    return 1 if page.failures else 0


def main(options, measure, page, keep=None):
    """Measures, or reads what was measured, and draws it. `page` is given the measurements and the name
    of its file without an ending: those that `keep` has for the folder beside it, the new one among
    them."""
    try:
        if source := getattr(options, "source", None):
            data = json.loads(source.read_text())
            if data.get("benchmark") != options.benchmark:
                raise ValueError(f"{source}: not a measurement of {options.benchmark}")
        else:
            before = machine(options.compiler)
            data = measure(options)
            if data is None:  # nothing but to list or to check
                return 0
            data |= {"date": datetime.date.today().isoformat(), "machine": before}
            if path := getattr(options, "json", None):
                path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        path = getattr(options, "markdown", pathlib.Path("page"))
        drawn = page([data], path.stem)
        if hasattr(options, "markdown") and not drawn.failures:
            runs = keep(path.with_suffix(""), data) if keep else [data]
            write_page(page(runs, path.stem) if keep else drawn, path)
        return draw(drawn, options)
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
