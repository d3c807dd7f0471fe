#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: check_links.py FOLDER
Fails when a page of the site links to a page, a picture or an anchor that is not there."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links = []
        self.anchors = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if value is None:
                continue
            if name in ("href", "src"):
                self.links.append(value)
            elif name in ("id", "name"):
                self.anchors.add(value)


def main():
    folder = pathlib.Path(sys.argv[1])
    pages = {path.name: Page(path) for path in sorted(folder.glob("*.html"))}
    broken = 0
    count = 0
    for name, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            if parts.fragment == "nested-classes":  # listed by Doxygen even where there is no such section
                continue
            count += 1
            target = urllib.parse.unquote(parts.path) or name
            there = (folder / target).exists()
            if there and parts.fragment and target in pages:
                there = urllib.parse.unquote(parts.fragment) in pages[target].anchors
            if not there:
                broken += 1
                print(f"{name}: nothing at {link}")
    print(f"{len(pages)} pages, {count} links, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
