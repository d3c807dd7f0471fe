// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>

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

  std::string csv() const {
    const auto quoted = [](const std::string& field) {
      return field.find(',') == std::string::npos ? field : '"' + field + '"';
    };
    std::string text = quoted(corner_);
    for (const std::string& column : columns_) text += ',' + quoted(column);
    for (size_t row = 0; row < rows_.size(); ++row) {
      text += '\n' + quoted(rows_[row]);
      for (size_t column = 0; column < columns_.size(); ++column) {
        const auto found = cells_.find({row, column});
        text += ',' + (found == cells_.end() ? "" : quoted(found->second));
      }
    }
    return text + '\n';
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
  return grid.csv();
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
  return grid.csv();
}

// Every contender on one thread.
std::string speeds(const Report& report, const Wanted& wanted) {
  Grid grid("operator");
  for (const Result& result : report.results) {
    const Cell& cell = result.cell;
    if (cell.threads != 1 || !wanted(cell)) continue;
    add_contenders(
        grid, fmt::format("{} {} {}", cell.operation->name, name_of(cell.dtype), cell.size_name()),
        result);
  }
  return grid.csv();
}

std::string speeds_at_largest_size(const Report& report) {
  int64_t largest = 0;
  for (const Result& result : report.results) {
    if (plain(result.cell)) largest = std::max(largest, result.cell.elements());
  }
  return speeds(report,
                [largest](const Cell& cell) { return plain(cell) && cell.elements() == largest; });
}

std::string speeds_of(const Report& report, std::initializer_list<Group> groups) {
  return speeds(report, [groups](const Cell& cell) {
    return std::ranges::find(groups, cell.operation->group) != groups.end();
  });
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

constexpr const char* kRest = R"(
## The rest

| table | what it has |
|---|---|
| [elementwise.csv]({0}/elementwise.csv) | the speed of every contender, contiguous tensors of the largest size, one thread |
| [training.csv]({0}/training.csv), [networks.csv]({0}/networks.csv), [products.csv]({0}/products.csv) | the speed of every contender: training, operators of networks, matrix products, one thread |
| [layouts.csv]({0}/layouts.csv) | time on strided, transposed and row-broadcast views as a multiple of that on contiguous tensors, one thread |
| [threads.csv]({0}/threads.csv) | the speed of all threads as a multiple of one thread's |
| [other-data.csv]({0}/other-data.csv) | time on other data as a multiple of that on normal data, 64K elements, one thread |
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
  return text + fmt::format(kRest, std::filesystem::path(chart).stem().string());
}

std::map<std::string, std::string> csv_tables(const Report& report) {
  return {{"elementwise.csv", speeds_at_largest_size(report)},
          {"training.csv", speeds_of(report, {Group::training, Group::optimizer})},
          {"networks.csv", speeds_of(report, {Group::network})},
          {"products.csv", speeds_of(report, {Group::matmul})},
          {"layouts.csv", layouts(report)},
          {"threads.csv", threads(report)},
          {"other-data.csv", level(report)}};
}

}  // namespace aclgrad::bench
