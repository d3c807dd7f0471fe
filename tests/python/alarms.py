# SPDX-License-Identifier: Apache-2.0
"""alarms.py [SEEDS [FIRST]]: the ten kernels in every dtype under many seeds (1,000). Prints each
that is not right, and how many there were; its exit status is 1 where one was called wrong."""
import collections
import sys

import conftest  # noqa: F401, the paths
import kernels
from test_kernels import DTYPES, check

seeds, first = map(int, sys.argv[1:] + ["1000", "1"][len(sys.argv) - 1 :])
counts = collections.Counter()
for seed in range(first, first + seeds):
    for k, name in enumerate(kernels.NAMES):
        dtype = DTYPES[(seed + k) % len(DTYPES)]
        report = check(kernels.kernel(name), name, dtype, seed)
        counts[report.verdict] += 1
        if report.verdict != "right":
            print(f"{name} {dtype} seed {seed}: {report.verdict}\n{report.text}", flush=True)
    if seed % 50 == 0:
        print(f"up to seed {seed}: {dict(counts)}", flush=True)
print(dict(counts))
sys.exit(counts["wrong"] > 0)
