#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: markdown_filter.sh FILE
# The page as Doxygen takes it: links to other pages become relative to the repository, headings get the
# anchors that links to them have, links to sources become their names, as the site has no copy of them.
set -euo pipefail
python3 - "$1" <<'PYTHON'
import os
import re
import sys

path = os.path.relpath(sys.argv[1])
folder = os.path.dirname(path)


def anchor(page, heading):
    """Of a heading or of a link's fragment: as GitHub makes it, and told apart from other pages'."""
    slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    return re.sub(r"\W", "_", page) + "_" + re.sub(r"\W", "_", slug)


def is_page(name):
    index = os.path.basename(name) == "README.md" and name != "examples/README.md"
    return name.endswith(".md") and not index


def link(match):
    bang, text, target = match.groups()
    if re.match(r"[a-z]+:", target):
        return match.group(0)
    name, _, fragment = target.partition("#")
    resolved = os.path.normpath(os.path.join(folder, name)) if name else path
    base = os.path.basename(resolved)
    if bang:
        return f"![{text}]({base})"
    if is_page(resolved):
        plain = text.replace("`", "")  # Doxygen shows the backquotes of a link
        return f"[{plain}](#{anchor(resolved, fragment)})" if fragment else f"[{plain}]({resolved})"
    if os.path.splitext(base)[0] == text:
        return f"`{resolved}`"
    return text if "`" in text or base in text else f"{text} (`{resolved}`)"


code = False
anchors = set()
for line in open(path, encoding="utf-8"):
    if line.lstrip().startswith("```"):
        code = not code
    heading = re.match(r"(##+) (.*)", line)
    if code:
        print(line, end="")
    elif heading and anchor(path, heading[2]) not in anchors:
        anchors.add(anchor(path, heading[2]))
        print(f"{line.rstrip()} {{#{anchor(path, heading[2])}}}")
    else:
        print(re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, line), end="")
PYTHON
