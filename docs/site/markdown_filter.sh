#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: markdown_filter.sh FILE
# The page as Doxygen takes it: links to other pages become relative to the repository, links to
# sources become their names, as the site has no copy of them.
set -euo pipefail
python3 - "$1" <<'PYTHON'
import os
import re
import sys

path = os.path.relpath(sys.argv[1])
folder = os.path.dirname(path)


def link(match):
    bang, text, target = match.groups()
    if re.match(r"[a-z]+:", target):
        return match.group(0)
    if target.startswith("#"):  # the site gives headings other anchors
        return text
    name, _, anchor = target.partition("#")
    resolved = os.path.normpath(os.path.join(folder, name))
    if bang:
        return f"![{text}]({os.path.basename(resolved)})"
    index = os.path.basename(resolved) == "README.md" and resolved != "examples/README.md"
    if resolved.endswith(".md") and not index:
        return f"[{text}]({resolved})"
    return text if "`" in text or os.path.basename(resolved) in text else f"{text} (`{resolved}`)"


code = False
for line in open(path, encoding="utf-8"):
    if line.lstrip().startswith("```"):
        code = not code
    print(line if code else re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, line), end="")
PYTHON
