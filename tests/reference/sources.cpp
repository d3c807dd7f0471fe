// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "tests/cases/case.h"

namespace aclgrad::reference {
namespace {

constexpr std::string_view kMark = "ACL_FUNC_VISIBILITY aclnnStatus";
constexpr std::string_view kPhaseOne = "GetWorkspaceSize(";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \n");
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(trimmed(part));
  return parts;
}

// The lines of the comment that ends right before `end`.
std::string comment_before(const std::string& text, size_t end) {
  const size_t close = text.rfind("*/", end);
  if (close == std::string::npos || !trimmed(text.substr(close + 2, end - close - 2)).empty())
    return "";
  std::istringstream lines(text.substr(text.rfind("/*", close), close - text.rfind("/*", close)));
  std::string comment;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(" /*") == std::string::npos
                      ? line.size()
                      : std::min<size_t>(line.size(), 3));
    if (!line.empty() || !comment.empty()) comment += line + "\n";
  }
  return comment.substr(0, comment.find_last_not_of(" \n") + 1);
}

// "const aclTensor* self, uint64_t* workspaceSize, ..." to its names.
std::vector<std::string> names_of(const std::string& parameters) {
  std::vector<std::string> names;
  for (const std::string& each : split(parameters, ',')) {
    names.push_back(each.substr(each.find_last_of("* \n") + 1));
  }
  names.resize(names.size() - 2);
  return names;
}

// The operator behind a label of the benchmarks.
std::string measured_operator(const std::string& label) {
  static const std::map<std::string, std::string> versions = {
      {"Gelu", "GeluV2"},      {"GeluBackward", "GeluBackwardV2"},
      {"GeGlu", "GeGluV3"},    {"GeGluBackward", "GeGluV3Backward"},
      {"Copy", "InplaceCopy"}, {"AdamW", "ApplyAdamWV2"}};
  const auto found = versions.find(label);
  return "aclnn" + (found == versions.end() ? label : found->second);
}

std::vector<std::vector<std::string>> rows_of(const std::string& page) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    rows.push_back(split(line.substr(1), '|'));
  }
  return rows;
}

// The rows below a heading, first that of the head.
std::vector<std::vector<std::string>> table_under(const std::string& page,
                                                  const std::string& heading) {
  const size_t begin = page.find(heading);
  if (begin == std::string::npos) throw std::runtime_error("no table under " + heading);
  return rows_of(page.substr(begin, page.find("\n## ", begin) - begin));
}

}  // namespace

std::map<std::string, Declared> read_headers(const std::string& include) {
  std::map<std::string, Declared> operators;
  for (const auto& entry : std::filesystem::directory_iterator(include + "/aclnnop")) {
    if (entry.path().string().ends_with("_unsupported.h")) continue;  // without a contract
    const std::string text = read(entry.path());
    for (size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
      const size_t open = text.find('(', at);
      const size_t name = text.find_first_not_of(" \n", at + kMark.size());
      const std::string function = text.substr(name, open + 1 - name);
      if (!function.ends_with(kPhaseOne)) continue;
      operators[function.substr(0, function.size() - kPhaseOne.size())] = {
          "aclnnop/" + entry.path().filename().string(),
          names_of(text.substr(open + 1, text.find(')', open) - open - 1)),
          comment_before(text, at)};
    }
  }
  return operators;
}

Text bound_of(const std::string& name) {
  double wide = 0, narrow = 0, of_double = 0, least = 0;
  bool found = false, cancels = false, has_narrow = false;
  for (const cases::Row& row : cases::all_cases()) {
    if (row.api() != name) continue;
    found = true;
    const contract::Bound bound = contract::bound_of(row.arguments());
    wide = std::max(wide, bound.of_float);
    for (const aclDataType dtype : row.dtypes()) {
      if (dtype == ACL_DOUBLE) of_double = std::max(of_double, bound.of_double.value_or(0));
      if (dtype != ACL_FLOAT16 && dtype != ACL_BF16) continue;
      has_narrow = true;
      narrow = std::max(narrow, std::min(bound.of_float, bound.of_16_bits));
    }
    cancels = cancels || row.op().results.magnitude != nullptr;
    least = std::max(least, row.op().results.least_magnitude_double);
  }
  if (!found) return {};
  if (wide == 0) return {"exact", "精确"};
  Text text = {fmt::format("{:.3g}", wide), fmt::format("{:.3g}", wide)};
  if (cancels) {
    text.english += " of the sum of the terms' magnitudes";
    text.chinese += "（以各项绝对值之和计）";
  }
  if (has_narrow && narrow <= contract::Bound{}.of_16_bits && wide > narrow) {
    text.english += "; FLOAT16 and BF16 correctly rounded";
    text.chinese += "；FLOAT16 与 BF16 正确舍入";
  } else if (has_narrow && narrow != wide) {
    text.english += fmt::format("; FLOAT16 and BF16 {:.4g}", narrow);
    text.chinese += fmt::format("；FLOAT16 与 BF16 为 {:.4g}", narrow);
  }
  if (of_double > wide) {
    text.english += fmt::format("; DOUBLE {:.3g}", of_double);
    text.chinese += fmt::format("；DOUBLE 为 {:.3g}", of_double);
    if (least > 0) {
      text.english += fmt::format(", of a sum of at least {}", least);
      text.chinese += fmt::format("（该和至少以 {} 计）", least);
    }
  }
  return text;
}

std::map<std::string, Accuracy> read_accuracy(const std::string& page) {
  constexpr size_t kOperator = 0, kDtype = 1, kError = 4, kBound = 8, kColumns = 10;
  struct Largest {
    std::string dtype;
    double error;
    double bound;
  };
  std::map<std::string, std::vector<Largest>> operators;
  for (const auto& row : rows_of(read(page))) {
    if (row.size() < kColumns || !row[kOperator].starts_with("aclnn")) continue;
    auto& all = operators[row[kOperator].substr(0, row[kOperator].find_first_of(" ,"))];
    const double error = std::stod(row[kError]), bound = std::stod(row[kBound]);
    const auto same = std::ranges::find(all, row[kDtype], &Largest::dtype);
    if (same == all.end()) {
      all.push_back({row[kDtype], error, bound});
    } else {
      same->error = std::max(same->error, error);
      same->bound = std::max(same->bound, bound);
    }
  }
  std::map<std::string, Accuracy> texts;
  for (const auto& [name, all] : operators) {
    Accuracy& text = texts[name];
    for (const Largest& each : all) {
      const char* comma = text.bound.empty() ? "" : ", ";
      text.largest += fmt::format("{}{} {:.5g}", comma, each.dtype, each.error);
      text.bound += fmt::format("{}{} {:g}", comma, each.dtype, each.bound);
    }
  }
  return texts;
}

std::map<std::string, std::string> read_performance(const std::string& page) {
  const std::string text = read(page);
  std::map<std::string, std::string> speeds;
  const auto add = [&](const std::string& label, const std::string& size, const std::string& ours) {
    const size_t space = label.find(' ');
    const std::string variant = space == std::string::npos ? "" : label.substr(space + 1) + " ";
    std::string& all = speeds[measured_operator(label.substr(0, space))];
    all += fmt::format("{}{}{} ({})", all.empty() ? "" : ", ", variant, ours, size);
  };
  // Speed, factor to the best peer, part of the limit, for each size that was measured.
  size_t million = 0;
  for (const auto& row : table_under(text, "## FLOAT, contiguous, one thread")) {
    if (row[0] == "operator") {
      million = static_cast<size_t>(std::ranges::find(row, "1M") - row.begin());
    } else if (million < row.size()) {
      add(row[0], "1M", row[million].substr(0, row[million].rfind(" ·")));
    }
  }
  // The speed of all candidates; the label ends with the dtype and the size.
  constexpr size_t kOurs = 1;
  for (const char* table : {"training.csv", "products.csv"}) {
    std::istringstream lines(read(std::filesystem::path(page).replace_extension() / table));
    std::vector<std::string> head;
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> row = split(line, ',');
      if (head.empty()) head = row;
      const size_t dtype = row[0].find(" FLOAT 1024x1024");
      if (dtype == std::string::npos) continue;
      double best = 0;
      for (size_t i = 0; i < row.size(); ++i) {
        const bool is_peer = head[i].starts_with("ATen") || head[i] == "oneDNN";
        if (is_peer && !row[i].empty()) best = std::max(best, std::stod(row[i]));
      }
      add(row[0].substr(0, dtype), row[0].substr(dtype + std::string(" FLOAT ").size()),
          best == 0 ? row[kOurs]
                    : fmt::format("{} · {:.2g}x", row[kOurs], std::stod(row[kOurs]) / best));
    }
  }
  return speeds;
}

}  // namespace aclgrad::reference
