// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/clients_page.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

namespace aclgrad::reference {
namespace {

constexpr char kByHand[] = "\n## Tried\n";

enum class Standing { kThere, kDeclared, kAbsent };

struct Client {
  size_t there = 0;
  std::vector<std::string> declared = {};
  std::vector<std::string> absent = {};

  size_t names() const { return there + declared.size() + absent.size(); }
};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  }
  return names.empty() ? "none" : text;
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string clients_page(const std::vector<contract::Declaration>& declared,
                         const std::string& root) {
  std::map<std::string, Standing> standing;
  for (const contract::Declaration& each : declared) {
    standing[each.name] = each.is_unsupported ? Standing::kDeclared : Standing::kThere;
  }
  const auto standing_of = [&](const std::string& name) {
    const auto found = standing.find("aclnn" + name + "GetWorkspaceSize");
    if (found != standing.end()) return found->second;
    // A few functions of a client's list have one phase.
    const auto single = standing.find("aclnn" + name);
    return single == standing.end() ? Standing::kAbsent : single->second;
  };

  std::map<std::string, Client> clients;
  Client all;
  std::istringstream list(read(root + "/tests/reference/clients.txt"));
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error("clients.txt: " + line);
    const std::string name = line.substr(0, colon);
    std::istringstream callers(line.substr(colon + 2));
    const auto count = [&](Client& client) {
      switch (standing_of(name)) {
        case Standing::kThere:
          ++client.there;
          break;
        case Standing::kDeclared:
          client.declared.push_back(name);
          break;
        case Standing::kAbsent:
          client.absent.push_back(name);
          break;
      }
    };
    for (std::string caller; callers >> caller;) count(clients[caller]);
    count(all);
  }

  std::string page =
      "# Programs of the interface\n\n"
      "Free programs that call operators by the vendor's C interface, and what of their operators "
      "is "
      "there. Written by\n`./dev docs` from `tests/reference/clients.txt`, which has the names "
      "that "
      "each one calls, and from the headers; a test\ncompares. The functions of the runtime and of "
      "tensors that these programs call are all there\n([functions](reference/functions.md)).\n\n"
      "| program | operators | there | declared only | absent |\n|---|---|---|---|---|\n";
  for (const auto& [name, client] : clients) {
    page += fmt::format("| {} | {} | {} | {} | {} |\n", name, client.names(), client.there,
                        client.declared.size(), client.absent.size());
  }
  page += fmt::format("| together | {} | {} | {} | {} |\n", all.names(), all.there,
                      all.declared.size(), all.absent.size());
  page +=
      "\nWhat is declared only answers 361001 and says so, so that a program can go another way. "
      "What is absent has no symbol.\n\n| program | declared only | absent |\n|---|---|---|\n";
  for (const auto& [name, client] : clients) {
    page += fmt::format("| {} | {} | {} |\n", name, listed(client.declared), listed(client.absent));
  }

  std::vector<std::string> others;  // that are declared for programs beyond these
  for (const contract::Declaration& each : declared) {
    const size_t end = each.name.find("GetWorkspaceSize");
    if (each.is_unsupported && end != std::string::npos) {
      others.push_back(each.name.substr(0, end));
    }
  }
  page += fmt::format("\nDeclared only, for all programs: {}.\n", listed(others));
  const std::string old = read(root + "/docs/clients.md");
  const size_t by_hand = old.find(kByHand);
  return page + (by_hand == std::string::npos ? std::string(kByHand) : old.substr(by_hand));
}

}  // namespace aclgrad::reference
