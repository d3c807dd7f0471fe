# SPDX-License-Identifier: Apache-2.0
"""The benchmarks' part in Python: page.py and svg.py draw, program.py is what the programs share."""
