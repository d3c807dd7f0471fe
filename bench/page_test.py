# SPDX-License-Identifier: Apache-2.0
"""What pages keep of earlier runs, and what they say of the cells that were lost."""
import pathlib
import tempfile
import unittest

from bench import faster, runs
from bench.kernels import page as kernels
from bench.train import page as train


def machine(system="Debian 13", processor="Xeon", flags=("avx512f",)):
    return {"system": system, "processor": processor, "flags": list(flags), "knows_flags": True,
            "cores": 2, "load": 0.0, "compiler": "g++ 14"}


def trained(contender, seconds, workload="W2", threads=1):
    return {"workload": workload, "threads": threads, "contender": contender, "times": [seconds],
            "loss": 1.0, "peak": 1000000, "version": f"{contender} 1"}


def training(results, **of_machine):
    return {"benchmark": "train", "date": "2026-11-29", "is_part": True,
            "machine": machine(**of_machine), "effort": {"seconds": 0.1, "repetitions": 1},
            "workloads": [{"name": name, "what": f"what {name} is", "bfloat16": False}
                          for name in ("W2", "W3")], "results": results}


def cell(operation, ours, threads=1, **peers):
    return {"operation": operation, "group": "layer", "dtype": "FLOAT", "size": "8x8", "elements": 64,
            "layout": "contiguous", "threads": threads, "seconds": {"aclgrad": ours} | peers}


class Keeping(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def keep(self, run):
        return runs.keep(self.folder, run, train.PARTS)

    def test_a_part_takes_the_place_of_what_it_measured_again(self):
        self.keep(training([trained("aclgrad", 1e-3), trained("libtorch", 2e-3),
                            trained("aclgrad", 5e-3, "W3")]))
        [kept] = self.keep(training([trained("aclgrad", 7e-3)]))
        self.assertEqual([(each["workload"], each["contender"], each["times"]) for each in kept["results"]],
                         [("W3", "aclgrad", [5e-3]), ("W2", "aclgrad", [7e-3])])

    def test_a_run_of_everything_takes_the_place_of_all(self):
        self.keep(training([trained("aclgrad", 5e-3, "W3")]))
        [kept] = self.keep(training([trained("aclgrad", 7e-3)]) | {"is_part": False})
        self.assertEqual([each["workload"] for each in kept["results"]], ["W2"])

    def test_other_systems_and_processors_keep_theirs_and_the_newest_system_leads(self):
        results = [trained("aclgrad", 1e-3)]
        self.keep(training(results))
        self.keep(training(results, processor="EPYC"))
        self.keep(training(results, flags=("avx512f", "amx_bf16")))
        found = self.keep(training(results, system="Debian 12") | {"date": "2026-12-01"})
        self.assertEqual(len(found), 4)
        self.assertEqual([run["machine"]["system"] for run in found], ["Debian 13"] * 3 + ["Debian 12"])

    def test_what_is_kept_is_what_was_measured(self):
        run = {"benchmark": "kernels", "date": "2026-11-29", "machine": machine(),
               "cells": [cell("Lstm", 1e-3, libtorch=2e-3), cell("Gru", 1.23456e-3)],
               "data": [{"operation": "Elu", "dtype": "FLOAT", "seconds": {"normal": 1e-6, "huge": 2e-6}}]}
        [kept] = runs.keep(self.folder, run, kernels.PARTS)
        run["cells"][1]["seconds"]["aclgrad"] = 1.235e-3
        self.assertEqual(kept, run)


class Lost(unittest.TestCase):
    compared = [faster.Compared("Elu FLOAT 1K", "oneDNN", 1.5), faster.Compared("Mul FLOAT 1K", "ATen", 0.9),
                faster.Compared("Selu FLOAT 1K", "ATen", 3), faster.Compared("Add FLOAT 1K", "ATen", 1.02)]

    def test_the_worst_comes_first_with_its_reason_and_one_without_shows(self):
        text = faster.of_run(self.compared, [("Selu *", "sums in double"), ("S*", "not this one")])
        self.assertIn("In 2 of 4 cells by more than 3 %, in 2 by more than 10 %.", text)
        self.assertEqual(text.splitlines()[-2:], ["| Selu FLOAT 1K | ATen | 3.00 | sums in double |",
                                                  "| Elu FLOAT 1K | oneDNN | 1.50 | **not known** |"])

    def test_the_nearest_is_named_where_none_is_lost(self):
        text = faster.of_run([self.compared[1], self.compared[3]], [])
        self.assertEqual(text, "Nowhere, in 2 cells. Nearest: Add FLOAT 1K, ATen, at 1.02 of our speed.\n")
        self.assertEqual(faster.of_run([], []), "Nobody was compared with.\n")

    def test_each_run_of_a_page_has_its_own(self):
        leading = training([trained("aclgrad", 2e-3), trained("libtorch", 1e-3),
                            trained("libtorch avx512", 4e-3), trained("bare products", 1e-4)])
        following = training([trained("aclgrad", 1e-3), trained("libtorch", 2e-3)], system="Debian 12")
        text = train.page([leading, following], "page").markdown
        lost = text[text.index("## Where others are faster"):text.index("## How it was measured")]
        self.assertIn("### Debian 13, Xeon, AVX-512\n\nIn 1 of 1 cells by more than 3 %", lost)
        self.assertIn("| W2 threads=1 | libtorch | 2.00 |", lost)
        self.assertIn("### Debian 12, Xeon, AVX-512\n\nNowhere, in 1 cells. Nearest: W2 threads=1, libtorch, "
                      "at 0.50 of our speed.", lost)
        self.assertLess(text.index("\n## Debian 13"), text.index("\n## Debian 12"))

    def test_an_own_other_form_that_is_faster_counts_as_another(self):
        run = {"date": "2026-11-29", "machine": machine(),
               "cells": [cell("Lstm", 2e-3, **{"aclgrad, node for each step": 1e-3, "libtorch": 3e-3})]}
        text = kernels.page([run], "page").markdown
        self.assertIn("| Lstm FLOAT 8x8 contiguous threads=1 | aclgrad, node for each step | 2.00 |", text)

    def test_every_line_of_the_reasons_has_a_pattern_and_a_reason(self):
        self.assertTrue(all(len(pair) == 2 and all(pair) for pair in faster.read_reasons()))


if __name__ == "__main__":
    unittest.main()
