# SPDX-License-Identifier: Apache-2.0
"""The measurements of which a page is drawn: of each system and processor the latest, kept in the folder
beside the page. What a run measures again takes the place of what was there; a run of everything takes
the place of all."""
import json
import re

from bench.program import processor


def title(run):
    """"Debian 13, Intel(R) Xeon(R) Processor, AVX-512"."""
    return f"{run['machine']['system']}, {processor(run['machine'])}"


def load_text(machine):
    return "" if machine["load"] is None else f", {machine['load']:.1f} programs wanting a core"


def file_of(folder, run):
    words = re.sub(r"\(R\)|\bProcessor\b", "", title(run))
    return folder / (re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") + ".json")


def merged(old, new, parts):
    """`new`, and of the lists that `parts` names what only `old` has: elements that differ in these
    fields."""
    result = old | new
    for name, fields in parts.items():
        def key(element):
            return tuple(element.get(field) for field in fields)

        elements = new.get(name, [])
        again = set(map(key, elements))
        result[name] = [element for element in old.get(name, []) if key(element) not in again] + elements
    return result


def packed(elements):
    """Dicts of the same form as a table, a line for each; what lies in "seconds" has columns of its own."""
    flat = [{("seconds", name) if key == "seconds" else (key,): value
             for key, field in element.items()
             for name, value in (field.items() if key == "seconds" else [("", field)])}
            for element in elements]
    columns = list(dict.fromkeys(column for element in flat for column in element))
    return {"columns": columns, "rows": [[element.get(column) for column in columns] for element in flat]}


def unpacked(table):
    elements = []
    for row in table["rows"]:
        element = {}
        for (key, *name), value in zip(table["columns"], row):
            if value is None and name:
                continue
            if name:
                element.setdefault(key, {})[name[0]] = value
            else:
                element[key] = value
        elements.append(element)
    return elements


def rounded(value, is_time=False):
    """Times to four digits: the rest is noise, and 50 KB."""
    if isinstance(value, list):
        return [rounded(each, True) for each in value]
    return float(f"{value:.4g}") if is_time and isinstance(value, float) else value


def text_of(run, parts):
    def line(value):
        return json.dumps(value, ensure_ascii=False)

    entries = []
    for key, value in run.items():
        if key in parts:
            table = packed(value)
            times = [column[0] in ("seconds", "times") for column in table["columns"]]
            rows = ",\n   ".join(line([rounded(each, is_time) for each, is_time in zip(row, times)])
                                 for row in table["rows"])
            value = f'{{"columns": {line(table["columns"])},\n  "rows": [\n   {rows}]}}'
        else:
            value = line(value)
        entries.append(f" {line(key)}: {value}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def read(path, parts):
    run = json.loads(path.read_text())
    return run | {name: unpacked(run[name]) for name in parts if name in run}


def version_of(run):
    """Debian 13 comes before Debian 12; of one system, the latest run does."""
    number = re.search(r"\d+", run["machine"]["system"])
    return (int(number[0]) if number else 0, run["date"])


def keep(folder, run, parts):
    """Puts a run where it belongs, and returns all, the first one of the page first."""
    folder.mkdir(exist_ok=True)
    path = file_of(folder, run)
    if run.get("is_part") and path.exists():
        run = merged(read(path, parts), run, parts)
    path.write_text(text_of(run, parts))
    return sorted((read(each, parts) for each in sorted(folder.glob("*.json"))), key=version_of,
                  reverse=True)
