# SPDX-License-Identifier: Apache-2.0
"""bench_kernels: our operators beside other libraries and the memory's limit, all in one run.

    bench_kernels --filter GeluBackward --elements 1048576 --threads 1

kernel_times measures, and knows most of the options; here is drawn what it measured. So it is with the
layers of bench_attention and of bench_recurrent (--program)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from bench import program, runs
from bench.kernels.page import PARTS, page

CHOOSING = {"--filter", "--elements", "--threads", "--quick", "--data"}
DRAWS_NOTHING = ("--list", "--check", "--help", "-h")


def main():
    parser = program.parser("bench_kernels", "Measures the operators beside oneDNN, libtorch and the "
                            "memory's limit. Draws what kernel_times measures, whose options follow.")
    parser.add_argument("--program", default="kernel_times", help=program.HIDDEN)
    options, rest = parser.parse_known_args([word for word in sys.argv[1:]
                                             if word not in ("--help", "-h")])
    if rest and getattr(options, "source", None):
        parser.error(f"nothing is measured: {' '.join(rest)}")
    command = [options.programs / options.program, *rest]
    is_part = options.program != "kernel_times" or bool(CHOOSING & set(rest))
    if wanted := [word for word in sys.argv[1:] if word in DRAWS_NOTHING]:
        if wanted[0] in ("--help", "-h"):
            parser.print_help()
            command.append("--help")
        sys.stdout.flush()
        return subprocess.run(command).returncode

    def variables():
        """libtorch at its best: its own threads under its BLAS, too, which would else take a core from
        the others, spinning after their work; and for layers, which are not measured both ways, its
        longest vectors."""
        found = program.for_openblas()
        if blas := program.installed_blas():
            found["LD_LIBRARY_PATH"] = str(blas[0])
        if options.program != "kernel_times" and program.has_avx512():
            found["ATEN_CPU_CAPABILITY"] = "avx512"
        return os.environ | found

    def measure(_):
        with tempfile.TemporaryDirectory() as folder:
            times = pathlib.Path(folder) / "times.json"
            if status := subprocess.run([*command, "--json", times], env=variables()).returncode:
                sys.exit(status)
            return json.loads(times.read_text()) | {"is_part": is_part}

    return program.main(options, measure, page, lambda folder, run: runs.keep(folder, run, PARTS))


if __name__ == "__main__":
    sys.exit(main())
