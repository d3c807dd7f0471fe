// SPDX-License-Identifier: Apache-2.0
// usage: reference_pages FOLDER            write the generated pages of the reference
//        reference_pages --compare FOLDER  fail when one of them is not what would be written
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/contract/functions.h"
#include "tests/contract/messages.h"
#include "tests/contract/products.h"
#include "tests/reference/checks_page.h"
#include "tests/reference/clients_page.h"
#include "tests/reference/cpp_page.h"
#include "tests/reference/operator_pages.h"

using namespace aclgrad::contract;

namespace {

struct Page {
  const char* file;
  std::string text;
};

std::vector<Page> pages() {
  const Library library;
  library.get<decltype(aclrtSetDevice)>("aclrtSetDevice")(0);
  std::vector<LibraryFile> files;
  for (const char* name : {"ascendcl", "nnopbase", "opapi", "hccl"}) {
    const std::string file = std::string("lib") + name + ".so";
    files.push_back({name, dlopen(file.c_str(), RTLD_NOW)});
  }
  const aclgrad::reference::Text operators =
      aclgrad::reference::operator_pages(library, ACLGRAD_ROOT);
  const std::vector<Declaration> declared = declared_functions(ACLGRAD_ROOT "/ops/include");
  return {
      {"functions.md", functions_page(declared, read_contract(ACLGRAD_CONTRACT_FUNCTIONS), files)},
      {"../clients.md", aclgrad::reference::clients_page(declared, ACLGRAD_ROOT)},
      {"messages.md", messages_page(library)},
      {"products.md", products_page(library)},
      {"checks.md", aclgrad::reference::checks_page(library)},
      {"cpp.md", aclgrad::reference::cpp_page(ACLGRAD_ROOT)},
      {"operators.md", operators.english},
      {"operators.zh.md", operators.chinese}};
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool compare = argc == 3 && std::string(argv[1]) == "--compare";
  if (argc != 2 && !compare) {
    std::fprintf(stderr, "usage: reference_pages [--compare] FOLDER\n");
    return 2;
  }
  int stale = 0;
  for (const Page& page : pages()) {
    const std::string path = std::string(argv[argc - 1]) + "/" + page.file;
    if (!compare) {
      std::ofstream(path) << page.text;
      std::printf("wrote %s\n", path.c_str());
    } else if (read(path) != page.text) {
      std::printf("%s is stale: ./dev docs writes it anew\n", path.c_str());
      stale = 1;
    }
  }
  return stale;
}
