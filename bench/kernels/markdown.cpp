// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "bench/kernels/report.h"
#include "bench/machine.h"

namespace aclgrad::bench {
namespace {

// The places of a table: its rows and columns by name, in the order in which they first come.
class Grid {
 public:
  explicit Grid(std::string corner) : corner_(std::move(corner)) {}

  void set(const std::string& row, const std::string& column, std::string text) {
    cells_[{place(rows_, row), place(columns_, column)}] = std::move(text);
  }

  std::string markdown() const {
    if (rows_.empty()) return "Not measured.\n";
    std::string text = fmt::format("| {} | {} |\n|---|", corner_, fmt::join(columns_, " | "));
    for (size_t i = 0; i < columns_.size(); ++i) text += "---:|";
    text += '\n';
    for (size_t row = 0; row < rows_.size(); ++row) {
      text += fmt::format("| {} |", rows_[row]);
      for (size_t column = 0; column < columns_.size(); ++column) {
        const auto found = cells_.find({row, column});
        text += fmt::format(" {} |", found == cells_.end() ? "" : found->second);
      }
      text += '\n';
    }
    return text;
  }

 private:
  static size_t place(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  }

  std::string corner_;
  std::vector<std::string> rows_;
  std::vector<std::string> columns_;
  std::map<std::pair<size_t, size_t>, std::string> cells_;
};

// "1.85 · 3.2x · 95 %": speed, against the best peer, of the memory's limit.
std::string summary(const Result& result) {
  std::string text = fmt::format("{:.3g}", rate(result.cell, result.ours()));
  const auto* peer = result.best_peer();
  text += peer == nullptr ? " · –" : fmt::format(" · {:.2g}x", peer->second / result.ours());
  if (result.limit() > 0) text += fmt::format(" · {:.0f} %", 100 * result.limit() / result.ours());
  return text;
}

// One column for each contender, in G elements/s.
void add_contenders(Grid& grid, const std::string& row, const Result& result) {
  const auto add = [&](const std::string& name) {
    const auto found = result.seconds.find(name);
    if (found == result.seconds.end()) return;
    grid.set(row, name, fmt::format("{:.3g}", rate(result.cell, found->second)));
  };
  add(kOurs);
  for (const auto& [name, seconds] : result.seconds) {
    if (name != kOrdinary && name != kNonTemporal) add(name);
  }
  add(kOrdinary);
  add(kNonTemporal);
}

using Wanted = std::function<bool(const Cell&)>;

bool plain(const Cell& cell) {
  return cell.operation->elementwise() && cell.layout == Layout::contiguous;
}

std::string by_size(const Report& report, aclDataType dtype) {
  Grid grid("operator");
  for (const Result& result : report.results) {
    const Cell& cell = result.cell;
    if (plain(cell) && cell.dtype == dtype && cell.threads == 1) {
      grid.set(cell.operation->name, cell.size_name(), summary(result));
    }
  }
  return grid.markdown();
}

// Every contender at one size of FLOAT, from the largest measured.
std::string side_by_side(const Report& report, aclDataType dtype) {
  int64_t largest = 0;
  for (const Result& result : report.results) {
    if (plain(result.cell)) largest = std::max(largest, result.cell.elements());
  }
  Grid grid("operator");
  for (const Result& result : report.results) {
    const Cell& cell = result.cell;
    if (plain(cell) && cell.dtype == dtype && cell.threads == 1 && cell.elements() == largest) {
      add_contenders(grid, cell.operation->name, result);
    }
  }
  return grid.markdown();
}

// A ratio of each cell's time and that of the cell it is made into by `change`.
std::string ratios(const Report& report, const Wanted& wanted,
                   const std::function<void(Cell&)>& change,
                   const std::function<std::string(const Cell&)>& column, bool speedup) {
  Grid grid("operator");
  for (const Result& result : report.results) {
    Cell other = result.cell;
    if (!wanted(other)) continue;
    change(other);
    const Result* base = find(report.results, other);
    if (base == nullptr) continue;
    const double ratio = result.ours() / base->ours();
    grid.set(fmt::format("{} {}", other.operation->name, name_of(other.dtype)), column(result.cell),
             fmt::format("{:.2f}", speedup ? 1 / ratio : ratio));
  }
  return grid.markdown();
}

std::string layouts(const Report& report) {
  return ratios(
      report,
      [](const Cell& cell) { return cell.layout != Layout::contiguous && cell.threads == 1; },
      [](Cell& cell) { cell.layout = Layout::contiguous; },
      [](const Cell& cell) { return fmt::format("{} {}", name_of(cell.layout), cell.size_name()); },
      false);
}

std::string threads(const Report& report) {
  return ratios(
      report, [](const Cell& cell) { return plain(cell) && cell.threads != 1; },
      [](Cell& cell) { cell.threads = 1; }, [](const Cell& cell) { return cell.size_name(); },
      true);
}

std::string level(const Report& report) {
  Grid grid("operator");
  const std::vector<std::string> header = level_header();
  for (const Level& each : report.levels) {
    const std::vector<std::string> row = level_row(each);
    for (size_t i = 1; i < row.size(); ++i) grid.set(row[0], header[i], row[i]);
  }
  return grid.markdown();
}

std::string listed(const Report& report, const Wanted& wanted) {
  Grid grid("operator");
  for (const Result& result : report.results) {
    const Cell& cell = result.cell;
    if (cell.threads != 1 || !wanted(cell)) continue;
    const std::string row =
        fmt::format("{} {} {}", cell.operation->name, name_of(cell.dtype), cell.size_name());
    add_contenders(grid, row, result);
  }
  return grid.markdown();
}

constexpr const char* kHow = R"(
* Every cell is run by Google Benchmark: all contenders on the same memory, their repetitions
  shuffled, the median of {0} (3 above 4M elements, 1 for who needs more than 0.1 s), each of at least
  {1} ms{2}. "ATen avx512" is libtorch with ATEN_CPU_CAPABILITY=avx512, in a process of its own that takes
  its turns between the others; not for strided and transposed views, which have no vector code in it.
  A repetition on one thread is measured again, five times in all, if the core was taken from it; if it
  always was, the first counts.
* Ours is phase two of a repeatable executor and aclrtSynchronizeStream. A peer is called bare, and
  oneDNN's primitives are made beforehand. A peer that lacks an operator, a dtype or vector code for a
  layout is left out. ELU is measured with alpha, scale and inputScale 1 and, "scaled", with 5/4, 3/4
  and 3/2, which oneDNN lacks. It has no SELU either: its bare ELU stands in its place, which does less.
  libtorch has no GEGLU: measured is the composition of its calls that a model and its autograd make,
  with the memory that it allocates for what lies between.
* The limit is a pass over as many streams of as many bytes as the operator reads and writes, with
  hardly any arithmetic, by ordinary stores or by non-temporal ones. "Of the limit" means of the faster
  of the two; caches make it high for small tensors.
* Data: normal(0, 1), and in a table of their own other kinds, of which the least of 15 rounds counts.
  "Outside": inputs of a backward that are no result of its forward. Elements are those of the largest
  tensor; for a matrix product, its multiplications. Speeds are in 10^9 elements a second. Strided:
  every second element of the inputs; transposed: the inputs are transposed matrices; row-broadcast:
  one input is a row, repeated by a stride of 0. Outputs are contiguous.

)";

std::string how(const Report& report) {
  const std::time_t now = std::time(nullptr);
  std::string text = fmt::format(
      "Written by `./dev bench kernels` on {:%Y-%m-%d}; nothing here is typed by hand.\n\n"
      "Whole training steps have [a page of their own](performance-training.md).\n\n"
      "## How it was measured\n\n"
      "* Machine: {}, at most {} thread(s). Compiler: g++ {}. Kernels for {}. Peers: {}.",
      fmt::gmtime(now), processor(), report.threads, __VERSION__, report.instruction_set,
      fmt::join(report.peers, ", "));
  if (std::ranges::none_of(report.peers,
                           [](const auto& peer) { return peer.starts_with("ATen"); })) {
    text += fmt::format("\n* {}.", kNoTorch);
  }
  const int passes = report.effort.passes;
  const std::string fastest =
      passes == 1
          ? ""
          : fmt::format(
                ";\n  of {} passes over all cells the one that was fastest for it, as other "
                "programs slow this machine\n  down at times",
                passes);
  return text +
         fmt::format(kHow, report.effort.repetitions, report.effort.least_seconds * 1e3, fastest);
}

}  // namespace

std::string markdown(const Report& report, const std::string& chart) {
  std::string text = "# Performance\n\n" + how(report) + promises(all_bars(report)) +
                     fmt::format("\n![speed]({})\n", chart);
  const auto section = [&](const std::string& title, const std::string& content) {
    text += fmt::format("\n## {}\n\n{}", title, content);
  };
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16, ACL_FLOAT16}) {
    section(fmt::format("{}, contiguous, one thread: speed · against the best peer · of the limit",
                        name_of(dtype)),
            by_size(report, dtype));
  }
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    section(fmt::format("{}, the largest size, one thread: the speed of all", name_of(dtype)),
            side_by_side(report, dtype));
  }
  section("Layouts: time as a multiple of that of contiguous tensors, one thread", layouts(report));
  section("All threads: speed as a multiple of one thread's", threads(report));
  section("Other data, 64K elements, one thread: time as a multiple of that for normal data",
          level(report));
  section("Training operators, one thread: the speed of all", listed(report, [](const Cell& cell) {
            return cell.operation->group == Group::training ||
                   cell.operation->group == Group::optimizer;
          }));
  section("Operators of networks, one thread: the speed of all",
          listed(report, [](const Cell& cell) { return cell.operation->group == Group::network; }));
  section("Matrix products, one thread: the speed of all",
          listed(report, [](const Cell& cell) { return cell.operation->group == Group::matmul; }));
  return text;
}

}  // namespace aclgrad::bench
