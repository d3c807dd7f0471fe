// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "aclgrad_contract/contracts.h"

namespace aclgrad::contract {
namespace {

constexpr char kMark[] = "ACL_FUNC_VISIBILITY";
constexpr char kUnsupported[] = "_unsupported.h";  // ends of names of headers
constexpr char kPhaseOne[] = "GetWorkspaceSize";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The name before the parenthesis that opens the parameters of the declaration at `start`.
std::string declared_name(const std::string& text, size_t start) {
  const size_t end = text.find('(', start);
  size_t begin = end;
  while (begin > start && is_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// What stands between the parentheses.
std::string parameters_of(const std::string& text, size_t start) {
  const size_t begin = text.find('(', start) + 1;
  std::string parameters = text.substr(begin, text.find(')', begin) - begin);
  const auto both_spaces = [](char a, char b) { return a == ' ' && b == ' '; };
  std::replace(parameters.begin(), parameters.end(), '\n', ' ');
  parameters.erase(std::unique(parameters.begin(), parameters.end(), both_spaces),
                   parameters.end());
  return parameters;
}

}  // namespace

std::vector<Declaration> declared_functions(const std::filesystem::path& include) {
  std::map<std::string, std::string> headers;  // text by relative path, in order
  for (const auto& entry : std::filesystem::recursive_directory_iterator(include)) {
    if (entry.path().extension() != ".h") continue;
    headers[std::filesystem::relative(entry.path(), include).string()] = read_file(entry.path());
  }
  std::vector<Declaration> functions;
  for (const auto& [header, text] : headers) {
    for (size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
      if (text.compare(at - 8, 8, "#define ") == 0) continue;
      functions.push_back({declared_name(text, at), header, header.ends_with(kUnsupported),
                           parameters_of(text, at)});
    }
  }
  return functions;
}

Contract read_contract(const std::filesystem::path& list) {
  std::ifstream file(list);
  if (!file) throw std::runtime_error("cannot read " + list.string());
  Contract contract;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("- ", 0) == 0) {
      contract.absent.push_back(line.substr(2));
    } else if (!line.empty()) {
      contract.functions.push_back(line);
    }
  }
  contract.listed = contract.functions.size();
  for (const Operator& op : all_contracts()) {
    contract.functions.push_back(op.name());
    contract.functions.push_back(op.name() + kPhaseOne);
  }
  return contract;
}

std::string owner_of(const std::string& function, const std::vector<LibraryFile>& libraries) {
  for (const LibraryFile& library : libraries) {
    // dlsym also looks into what the library depends on, so ask where the symbol lies.
    Dl_info where{};
    void* const found = dlsym(library.handle, function.c_str());
    if (found != nullptr && dladdr(found, &where) != 0 &&
        std::string(where.dli_fname).find(fmt::format("lib{}.so", library.name)) !=
            std::string::npos) {
      return library.name;
    }
  }
  return "";
}

std::string functions_page(const std::vector<Declaration>& declared, const Contract& contract,
                           const std::vector<LibraryFile>& libraries) {
  size_t implemented = 0, unsupported = 0, extensions = 0;
  std::map<std::string, std::vector<const Declaration*>> by_header;
  for (const Declaration& each : declared) {
    by_header[each.header].push_back(&each);
    if (each.name.rfind("aclgrad", 0) == 0) {
      ++extensions;
    } else {
      ++(each.is_unsupported ? unsupported : implemented);
    }
  }
  std::string page = fmt::format(
      "# Functions\n\n"
      "Every function of the documented interface. Written by `./dev docs` from the public headers "
      "and\nthe symbols of the libraries; a test compares, and checks the list against the "
      "contract's.\n\n"
      "| | |\n|---|---|\n| functions of the contract | {} |\n| implemented | {} |\n"
      "| declared, and answer \"not supported\" | {} |\n| aclgrad's own, in `aclgrad_ext.h` | {} "
      "|\n\n"
      "An operator is two functions: `aclnnXxx` and `aclnnXxxGetWorkspaceSize`. Families of "
      "functions that\nare absent stand at the end.\n",
      contract.functions.size(), implemented, unsupported, extensions);
  std::string operators;  // of headers that declare nothing else
  for (const auto& [header, functions] : by_header) {
    const bool declares_operators = header.starts_with("aclnnop/");
    std::string& rows = declares_operators ? operators : page;
    if (!declares_operators) {
      rows += fmt::format("\n## {}\n\n| function | library | |\n|---|---|---|\n", header);
    }
    for (const Declaration* each : functions) {
      if (each->name.ends_with(kPhaseOne)) continue;
      const bool is_operator = std::any_of(
          functions.begin(), functions.end(),
          [&](const Declaration* other) { return other->name == each->name + kPhaseOne; });
      rows += fmt::format("| `{}`{} |{} lib{} | {} |\n", each->name,
                          is_operator ? fmt::format(", `…{}`", kPhaseOne) : "",
                          declares_operators ? fmt::format(" {} |", header.substr(8)) : "",
                          owner_of(each->name, libraries),
                          each->is_unsupported ? "not supported" : "implemented");
    }
  }
  page += "\n## aclnnop\n\n| function | header | library | |\n|---|---|---|---|\n" + operators;
  page += "\n## Absent\n\n";
  for (const std::string& reason : contract.absent) page += fmt::format("* {}\n", reason);
  return page;
}

}  // namespace aclgrad::contract
