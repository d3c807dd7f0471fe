// SPDX-License-Identifier: Apache-2.0
// Which functions there are: what the contract asks for (functions.txt, and the operators of the
// contracts), what the public headers declare, what the libraries have.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace aclgrad::contract {

struct Declaration {
  std::string name;
  std::string header;           // "acl/acl_rt.h"
  bool is_unsupported = false;  // declared so that programs compile
  std::string parameters = {};  // as declared, with single spaces
};

// Every function of every header, by header and then in the order of the header.
std::vector<Declaration> declared_functions(const std::filesystem::path& include);

struct Contract {
  std::vector<std::string> functions;  // both of every operator come last
  size_t listed = 0;                   // how many of them stand in the file
  std::vector<std::string> absent;     // families that are left out, each with its reason
};
Contract read_contract(const std::filesystem::path& list);

// "ascendcl", "nnopbase", "opapi" or "hccl": who defines a function, by the path of each; "" where
// none does.
struct LibraryFile {
  std::string name;
  void* handle;
};
std::string owner_of(const std::string& function, const std::vector<LibraryFile>& libraries);

// The page docs/reference/functions.md.
std::string functions_page(const std::vector<Declaration>& declared, const Contract& contract,
                           const std::vector<LibraryFile>& libraries);

}  // namespace aclgrad::contract
