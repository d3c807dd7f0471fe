// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/cpp_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <stdexcept>

#include "tests/reference/declarations.h"
#include "tests/reference/table.h"

namespace aclgrad::reference {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"framework/include/aclgrad", "autograd/include/aclgrad",
                                    "distributed/include/aclgrad"};

// Headers by subject, "nn/" for the rest of a folder; what is in none is in the last one.
struct Subject {
  const char* title;
  std::vector<const char*> headers;
};
const std::vector<Subject> kSubjects = {
    {"Tensors",
     {"tensor", "tensor/math", "tensor/named_tensors", "shape", "dtype", "tensor/float16", "random",
      "nn/init"}},
    {"Graphs",
     {"graph", "variable", "gradients", "backward", "session", "session/cache", "session/fetch"}},
    {"Functions of values",
     {"ops/arithmetic", "ops/activation", "ops/attention", "ops/matmul", "ops/reduction",
      "ops/shape", "ops/index", "ops/normalization", "ops/sync_batch_norm", "ops/convolution",
      "ops/pooling", "ops/recurrent", "ops/resampling", "ops/random", "ops/loss", "ops/optimizer"}},
    {"Functions of one's own", {"custom", "rule", "graph/op", "graph/declaration", "graph/record"}},
    {"Layers",
     {"nn/module", "nn", "nn/convolution", "nn/images", "nn/attention", "nn/recurrent",
      "nn/sequences", "graph/per_axis", "nn/generate", "nn/cached_model", "graph/checkpointed"}},
    {"Training",
     {"trainer", "fit", "train/loss_function", "optim", "optim/schedule", "optim/loss_scaler",
      "optim/weight_average", "train/predict", "train/ranks"}},
    {"Data and files",
     {"data", "data/table", "data/time_series", "data/images", "io/npy", "io/safetensors", "io/pth",
      "io/checkpoint", "io/file"}},
    {"Reports",
     {"report", "run_report", "training_log", "terminal", "viz", "graph/dot", "session/profile",
      "session/memory_report", "session/bisect"}},
    {"Checking gradients", {"gradcheck", "gradcheck/"}},
    {"Several ranks", {"distributed", "distributed/"}},
    {"What the rest is made of", {}}};

std::size_t subject_of(const std::string& name) {
  const auto is_in = [&](const Subject& subject) {
    return std::ranges::any_of(subject.headers, [&](const std::string& header) {
      return name == header || (header.ends_with('/') && name.starts_with(header));
    });
  };
  const auto found = std::ranges::find_if(kSubjects, is_in);
  return std::min<std::size_t>(found - kSubjects.begin(), kSubjects.size() - 1);
}

std::size_t place_of(const std::string& name) {
  const auto& headers = kSubjects[subject_of(name)].headers;
  return std::ranges::find(headers, name) - headers.begin();
}

std::string code(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back("`" + cell(text) + "`");
  return fmt::format("{}", fmt::join(all, ", "));
}

// What stands in the first column.
std::vector<std::string> shown(const CppDeclaration& one) {
  if (one.kind == CppDeclaration::Kind::function) return {one.call};
  if (one.makers.empty()) return {one.name};
  std::vector<std::string> all;
  const std::string space = one.name.substr(0, one.name.rfind(':') + 1);
  for (const std::string& maker : one.makers) all.push_back(space + maker);
  return all;
}

bool is_options(const CppDeclaration& one) {
  return one.kind == CppDeclaration::Kind::type && one.name.ends_with("Options");
}

// Attributes of nodes, and the names of operations for rules: what only operators are made of.
bool is_of_nodes(const CppHeader& header, const CppDeclaration& one) {
  return header.path.find("/ops/") != std::string::npos && one.kind == CppDeclaration::Kind::type &&
         (one.name.ends_with("Attributes") || one.name.ends_with("Op"));
}

// Printing, hashing and formatting are as everywhere.
bool is_usual(const CppDeclaration& one) {
  return one.name == "operator<<" || one.name.starts_with("std::") || one.name.starts_with("fmt::");
}

// The comment of what has none: options and operators need none, and the comment at the top of a
// header is that of the types that it names.
std::string usual_comment(const CppHeader& header, const CppDeclaration& one) {
  if (is_options(one)) return "Options.";
  if (one.name.starts_with("operator")) return "As in C++.";
  const bool is_named =
      one.kind == CppDeclaration::Kind::type &&
      std::regex_search(header.comment,
                        std::regex("(^|\\W)" + one.name.substr(one.name.rfind(':') + 1) + "\\W"));
  return is_named ? "See above." : "";
}

struct Row {
  std::vector<std::string> names;  // of the first of them
  std::vector<std::string> shown;
  std::vector<std::string> members;
  std::string comment;
};

std::vector<Row> rows_of(const CppHeader& header, std::string& faults) {
  std::vector<Row> rows;
  for (const CppDeclaration& one : header.declarations) {
    if (is_of_nodes(header, one) || is_usual(one)) continue;
    const bool is_known = std::ranges::any_of(
        rows, [&](const Row& row) { return std::ranges::count(row.names, one.name) > 0; });
    const bool is_at_the_top =
        one.kind == CppDeclaration::Kind::type && header.comment.starts_with(one.name + ":");
    const std::string comment = one.comment.empty() || is_at_the_top ? usual_comment(header, one)
                                                                     : first_sentence(one.comment);
    if (comment.empty() && !is_known) faults += fmt::format("  {}: {}\n", header.path, one.name);
    if (is_known || (one.shares_comment && !rows.empty())) {
      Row& row = is_known
                     ? *std::ranges::find_if(rows,
                                             [&](const Row& each) {
                                               return std::ranges::count(each.names, one.name) > 0;
                                             })
                     : rows.back();
      row.names.push_back(one.name);
      if (!is_known) {
        for (const std::string& text : shown(one)) row.shown.push_back(text);
      }
    } else {
      rows.push_back({{one.name}, shown(one), one.members, comment});
    }
  }
  return rows;
}

std::string section(const CppHeader& header, const std::string& name, const std::string& root,
                    std::string& faults) {
  const std::vector<Row> rows = rows_of(header, faults);
  if (rows.empty()) return "";
  std::string text = fmt::format("### [{}.h](../..{})\n\n{}\n\n| | |\n|---|---|\n", name,
                                 header.path.substr(root.size()), first_sentence(header.comment));
  for (const Row& row : rows) {
    text += fmt::format("| {} | {}{} |\n", code(row.shown), cell(row.comment),
                        row.members.empty() ? "" : " Has " + code(row.members) + ".");
  }
  return text + "\n";
}

}  // namespace

std::string cpp_page(const std::string& root) {
  std::map<std::pair<std::size_t, std::size_t>, std::map<std::string, CppHeader>> headers;
  for (const char* folder : kFolders) {
    const fs::path top = fs::path(root) / folder;
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(top)) {
      const std::string name = file.path().lexically_relative(top).replace_extension();
      if (file.path().extension() != ".h" || name == "gradcheck/c") continue;
      headers[{subject_of(name), place_of(name)}].emplace(name, read_cpp_header(file.path()));
    }
  }
  std::string text =
      "# Functions and classes of C++\n\nWhat a program of C++ can call, by subject, with the "
      "first "
      "sentence of what the header says of it: shapes, dtypes, ranges of options and errors stand "
      "there. Written by `./dev docs` from the public headers; a test compares.\n\nEverything is "
      "in "
      "the namespace `aclgrad`. Parameters are shown without their types, options with their "
      "members. Left out are attributes of nodes, and [gradcheck for C]"
      "(../../autograd/include/aclgrad/gradcheck/c.h). The C interface is in "
      "[functions](functions.md), what the operators compute in [operators](operators.md).\n\n";
  std::string faults;
  std::size_t subject = kSubjects.size();
  for (const auto& [place, together] : headers) {
    for (const auto& [name, header] : together) {
      const std::string part = section(header, name, root, faults);
      if (part.empty()) continue;
      if (place.first != subject) text += fmt::format("## {}\n\n", kSubjects[place.first].title);
      subject = place.first;
      text += part;
    }
  }
  if (!faults.empty()) throw std::runtime_error("declarations without a comment:\n" + faults);
  text.pop_back();
  return text;
}

}  // namespace aclgrad::reference
