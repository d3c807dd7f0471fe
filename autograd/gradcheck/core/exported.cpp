// SPDX-License-Identifier: Apache-2.0
// Reads the names of a loaded shared library's own functions from its dynamic symbol table.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>

#include "aclgrad/gradcheck/two_phase.h"

namespace aclgrad::gradcheck {
namespace {

// The parts of the dynamic section that lead to the symbols. Addresses there are absolute once the
// library is loaded.
struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hash = nullptr;  // DT_GNU_HASH
};

template <class T>
const T* at(const ElfW(Dyn) & entry) {
  return reinterpret_cast<const T*>(entry.d_un.d_ptr);
}

Tables tables_of(const link_map& map) {
  Tables tables;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) tables.symbols = at<ElfW(Sym)>(*entry);
    if (entry->d_tag == DT_STRTAB) tables.names = at<char>(*entry);
    if (entry->d_tag == DT_GNU_HASH) tables.hash = at<std::uint32_t>(*entry);
  }
  return tables;
}

// The hash table holds the exported symbols, in chains whose last link has its lowest bit set.
std::uint32_t symbol_count(const std::uint32_t* hash) {
  const std::uint32_t buckets = hash[0];
  const std::uint32_t first = hash[1];
  const std::uint32_t bloom_words = hash[2];
  const auto* bucket = hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t last = *std::max_element(bucket, bucket + buckets);
  if (last < first) return first;
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t symbol = last;
  while ((chain[symbol - first] & 1) == 0) ++symbol;
  return symbol + 1;
}

}  // namespace

std::vector<std::string> Library::exported() const {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  const Tables tables = tables_of(*map);
  if (tables.symbols == nullptr || tables.names == nullptr || tables.hash == nullptr) return {};
  std::vector<std::string> names;
  const std::uint32_t count = symbol_count(tables.hash);
  for (std::uint32_t i = tables.hash[1]; i < count; ++i) {
    const ElfW(Sym)& symbol = tables.symbols[i];
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (symbol.st_shndx == SHN_UNDEF || !is_function) continue;
    names.emplace_back(tables.names + symbol.st_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace aclgrad::gradcheck
