#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: pages.py FOLDER | pages.py --filter FILE
Pages that only the site has go to FOLDER: the groups of docs/README.md, under which the sidebar shows its
pages, and the sources of the examples. With --filter a page of the repository is printed as Doxygen
takes it: pages and headings get names of their own, links lead to these, and links to sources that the
site has no copy of become their names."""
import os
import pathlib
import re
import shutil
import sys

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def sources():
    for pattern in ("*.cpp", "aclnn/*.cpp", "aclnn/*.h", "hccl/*.cpp", "hccl/*.h"):
        yield from sorted(str(path) for path in pathlib.Path("examples").glob(pattern))


def name_of(path):
    """Of the page that shows a file."""
    return re.sub(r"\W", "_", path.removesuffix(".md"))


def anchor(path, heading):
    """Of a heading or of a link's fragment: as GitHub makes it, and distinct from other pages'."""
    slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    return name_of(path) + "_at_" + re.sub(r"\W", "_", slug)


def is_shown(path):
    index = path in ("README.md", "docs/README.md", "examples/data/README.md")
    return path.endswith(".md") and not index or path in sources()


def change_links(line, page, belongs):
    """Links of a line of the page. What belongs to a page stands under it in the sidebar."""

    def change(match):
        bang, text, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        file, _, fragment = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
        base = os.path.basename(path)
        plain = text.replace("`", "")  # Doxygen shows the backquotes of a link
        if bang:
            return f"![{text}]({base})"
        if fragment and (is_shown(path) or path == "README.md"):
            return f"[{plain}](#{anchor(path, fragment)})"
        if is_shown(path):
            return f'@subpage {name_of(path)} "{plain}"' if belongs(path) else f"[{plain}](#{name_of(path)})"
        if path in ("README.md", "docs/README.md"):
            return f"[{plain}]({'index' if path == 'README.md' else 'pages'}.html)"
        if path.endswith(".h"):
            return f"`{path}`" if base == text else text
        return text if "`" in text or base in text else f"{text} (`{path}`)"

    return LINK.sub(change, line)


def code_span(match):
    """Doxygen ends a code span at a single quote, unless there are two backquotes."""
    return f"``{match[1]}``" if "'" in match[1] else match[0]


def print_page(path):
    def belongs(target):
        return (path == "docs/decisions/README.md" and target.startswith("docs/decisions/")
                or path == "examples/README.md" and target in sources())

    code = False
    anchors = {None}
    for line in open(path, encoding="utf-8"):
        if line.lstrip().startswith("```"):
            code = not code
        heading = re.match(r"(#+) (.*)", line)
        if code:
            print(line, end="")
        elif heading and heading[1] == "#":
            title = re.sub(r"^(\d+)\. ", r"Decision \1: ", heading[2])  # or it would be a list
            print(f"# {title}" + (f" {{#{name_of(path)}}}" if is_shown(path) else ""))
        elif heading and anchor(path, heading[2]) not in anchors:
            anchors.add(anchor(path, heading[2]))
            print(f"{line.rstrip()} {{#{anchor(path, heading[2])}}}")
        else:
            line = re.sub(r"(?<!`)`([^`\n]+)`(?!`)", code_span, line.replace("\\`", "'"))
            print(change_links(line, path, belongs), end="")


def write_pages(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    index = pathlib.Path("docs/README.md").read_text(encoding="utf-8")
    groups = re.finditer(r"^\*\*(.*)\*\*\n\n((?:-.*\n)+)", index, re.MULTILINE)
    for number, group in enumerate(groups, 1):
        items = "".join(change_links(line, "docs/README.md", lambda path: True)
                        for line in group[2].splitlines(keepends=True))
        name = f"{number}_{name_of(group[1].lower())}"  # Doxygen goes by the names of files
        page = pathlib.Path(folder, f"{name}.md")
        page.write_text(f"# {group[1]} {{#group_{name}}}\n\n{items}", encoding="utf-8")
    for source in sources():
        text = pathlib.Path(source).read_text(encoding="utf-8")
        page = pathlib.Path(folder, f"{name_of(source)}.md")
        page.write_text(f"# {os.path.basename(source)} {{#{name_of(source)}}}\n\n`{source}`:\n\n"
                        f"```cpp\n{text}```\n", encoding="utf-8")


if sys.argv[1] == "--filter":
    path = os.path.relpath(sys.argv[2])
    if path.startswith("out/"):  # made for the site
        print(pathlib.Path(path).read_text(encoding="utf-8"))
    else:
        print_page(path)
else:
    write_pages(sys.argv[1])
