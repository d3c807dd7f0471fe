# SPDX-License-Identifier: Apache-2.0
"""The package of this tree, and its examples."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE, HERE.parent / "examples", HERE.parent):
    sys.path.insert(0, str(folder))

pytest_plugins = ["pytester"]
