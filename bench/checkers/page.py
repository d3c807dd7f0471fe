#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page.py FINDINGS [--torch FILE] [--markdown PAGE]: the tables of docs/gradcheck.md or docs/museum.md, of
what gradcheck_score or museum_score found and of what PyTorch's checkers did (torch_gradcheck.py,
torch_museum.py). Prints them, and writes them into a page between the marks that are there for them.

What a checker says of one that it checks is a word of digits, 1 for blame. In the museum: of the right
backward under the usual attributes and under those that show the mistake, then the same of the wrong
one, if there is one."""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from bench.page import Table  # noqa: E402


def read_torch(path):
    """Lines of a name and settings, then for each that is checked its number and the answers."""
    checkers, count = [], 0
    for line in path.read_text().splitlines():
        first, *rest = line.split("\t")
        if len(rest) == 1 and count == 0 and not first.isdigit():
            checkers.append({"name": first, "settings": rest[0], "answers": []})
            continue
        if first != str(count) or len(rest) != len(checkers):
            raise ValueError(f"{path} is not what PyTorch's checkers write")
        count += 1
        for checker, answer in zip(checkers, rest):
            checker["answers"].append(answer)
    return checkers


def blamed_text(checkers, names_of, separator):
    """A paragraph for each checker that blames what is right."""
    named = ((checker["name"], separator.join(names_of(checker))) for checker in checkers)
    return [f"Blamed by *{name}* though right: {names}.\n" for name, names in named if names]


class Mutants:
    """Operators that are broken on purpose, then operators that are right."""
    program = "gradcheck_score"

    def __init__(self, data):
        self.data, self.checkers = data, data["checkers"]
        self.wrong, self.right = data["mutants"], data["right"]
        self.count = len(self.wrong) + len(self.right)

    def blamed(self, checker):
        return [family for family, answer in zip(self.right, checker["answers"][len(self.wrong):])
                if answer == "1"]

    def found(self, checker):
        """The mutants that are blamed, while the same operator without the mistake is not."""
        blamed = self.blamed(checker)
        return [mutant for mutant, answer in zip(self.wrong, checker["answers"])
                if answer == "1" and mutant["family"] not in blamed]

    def score(self, torch_note):
        summary = Table(["checker", "how", f"of {len(self.wrong)} mutants it finds",
                         f"of {len(self.right)} correct operators it blames"],
                        [[checker["name"], checker["settings"], str(len(self.found(checker))),
                          str(len(self.blamed(checker)))] for checker in self.checkers], "llr")
        sweep = self.data["sweep"]
        kinds = []
        for kind in self.data["kinds"]:
            alike = [[mutant for mutant in mutants if mutant["shows_at"] == kind]
                     for mutants in (self.wrong, *map(self.found, self.checkers))]
            if alike[0]:
                kinds.append([kind, *(str(len(mutants)) for mutants in alike)])
        return (summary.markdown() + torch_note +
                f"\nOn correct operators under {sweep['configurations']} random configurations of dtype, "
                f"layout, shape and attributes gradcheck\nraised {sweep['alarms']} false alarms and left "
                f"{sweep['inconclusive']} undecided.\n\n" +
                "".join(text + "\n" for text in blamed_text(self.checkers, self.blamed, "; ")) +
                Table(["shows at", "mutants", *self.names()], kinds, "l").markdown())

    def rows(self):
        found = [self.found(checker) for checker in self.checkers]
        return Table(["mistake", "shows at", *self.names()],
                     [[f"{mutant['family']}: {mutant['edit']}", mutant["shows_at"],
                       *("found" if mutant in some else "–" for some in found)]
                      for mutant in self.wrong], "l").markdown()

    def projections(self):
        rows = [[case["error"], case["directions"],
                 *(f"{100 * formula:.1f} / {100 * measured:.1f}"
                   for formula, measured in case["found"])]
                for case in self.data["projections"]]
        return (f"Formula / measured on {self.data['seeds']} seeds, in per cent.\n\n" +
                Table(["error", "directions", "size 1", "1.5", "2", "4", "16"], rows, "llr").markdown())

    def names(self):
        return [checker["name"] for checker in self.checkers]

    def parts(self, torch_note):
        return {"score": self.score(torch_note), "mutants": self.rows(),
                "projections": self.projections()}


class Museum:
    """Gradients that were wrong and shipped, then controls that are right."""
    program = "museum_score"

    def __init__(self, data):
        self.data, self.checkers = data, data["checkers"]
        self.exhibits, self.controls = data["exhibits"], data["controls"]
        self.count = len(self.exhibits) + len(self.controls)

    def verdicts(self, checker):
        """Of each exhibit, as the page says it."""
        def verdict(right, right_told, wrong, wrong_told):
            if "1" in (right, right_told):
                return "blames both"
            return "found" if wrong == "1" else "when told" if wrong_told == "1" else "–"

        return [verdict(*answer) for answer in checker["answers"][:len(self.exhibits)]]

    def blamed(self, checker):
        names = [exhibit["id"] for exhibit in self.exhibits] + self.controls
        return [name for name, answer in zip(names, checker["answers"]) if "1" in answer[:2]]

    def missed(self):
        """By the first checker."""
        first = self.checkers[0]
        missed = [f"{exhibit['id']} ({exhibit['operator']}, which needs: {exhibit['needs']})"
                  for exhibit, verdict in zip(self.exhibits, self.verdicts(first))
                  if verdict != "found"]
        return (f"Missed by *{first['name']}*: {'; '.join(missed)}.\n" if missed else
                f"*{first['name']}* misses none.\n")

    def score(self, torch_note):
        rows, kinds = [], []
        all_verdicts = [self.verdicts(checker) for checker in self.checkers]
        for checker, verdicts in zip(self.checkers, all_verdicts):
            found, told = verdicts.count("found"), verdicts.count("when told")
            blamed = self.blamed(checker)
            controls = len(set(blamed) & set(self.controls))
            rows.append([checker["name"], checker["settings"], *map(str, (
                found, found + told, len(blamed) - controls, controls))])
        for kind, what in sorted(self.data["kinds"].items()):
            places = [k for k, exhibit in enumerate(self.exhibits) if exhibit["kind"] == kind]
            cells = []
            for verdicts in all_verdicts:
                alike = [verdicts[k] for k in places]
                found, told = alike.count("found"), alike.count("when told")
                cells.append(f"{found} ({found + told})")
            kinds.append([kind, what, str(len(places)), *cells])
        summary = Table(["checker", "how", f"of {len(self.exhibits)} finds",
                         "and when told the attributes", f"blames of {len(self.exhibits)} right ones",
                         f"of {len(self.controls)} controls"], rows, "llr")
        paragraphs = [*blamed_text(self.checkers, self.blamed, ", "), self.missed()]
        return (summary.markdown() + "".join("\n" + text for text in paragraphs) + torch_note +
                "\nFound, and in parentheses when told the attributes:\n\n" +
                Table(["kind", "what is wrong", "exhibits", *self.names()], kinds, "llr").markdown())

    def rows(self):
        verdicts = zip(*map(self.verdicts, self.checkers))
        return Table(["exhibit", "kind", "project, year", "operator", "needs", *self.names()],
                     [[exhibit["id"], exhibit["kind"],
                       f"{exhibit['project']}, {exhibit['source']}, {exhibit['year']}",
                       *(exhibit[name].replace("|", "\\|") for name in ("operator", "needs")), *said]
                      for exhibit, said in zip(self.exhibits, verdicts)], "l").markdown()

    def names(self):
        return [checker["name"] for checker in self.checkers]

    def parts(self, torch_note):
        return {"score": self.score(torch_note), "exhibits": self.rows()}


def write_into(path, program, part, text):
    """Replaces what stands between the marks."""
    begin, end = f"<!-- begin: written by {program}, {part} -->\n", f"<!-- end: {part} -->\n"
    page = path.read_text()
    if begin not in page or end not in page:
        raise ValueError(f"{path} has no marks to write between")
    path.write_text(page[:page.index(begin)] + begin + text + page[page.index(end):])


def main():
    parser = argparse.ArgumentParser(description="Draws what gradient checkers found.")
    parser.add_argument("findings", type=pathlib.Path, help="what gradcheck_score or museum_score wrote")
    parser.add_argument("--torch", type=pathlib.Path, help="what PyTorch's checkers wrote")
    parser.add_argument("--markdown", type=pathlib.Path,
                        help="write the tables between the marks in this page")
    options = parser.parse_args()
    data = json.loads(options.findings.read_text())
    torch = read_torch(options.torch) if options.torch else []
    data["checkers"] += torch
    score = (Mutants if "mutants" in data else Museum)(data)
    for checker in torch:
        if len(checker["answers"]) != score.count:
            parser.error(f"{options.torch} is not about what {options.findings} is about")
    parts = score.parts("" if torch else "\nPyTorch was not installed.\n")
    print(parts["score"], parts.get("projections", ""), sep="\n")
    if options.markdown:
        for part, text in parts.items():
            write_into(options.markdown, score.program, part, text)


if __name__ == "__main__":
    main()
