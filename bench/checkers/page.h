// SPDX-License-Identifier: Apache-2.0
// Tables in a page, between marks that say who writes them.
#ifndef ACLGRAD_BENCH_CHECKERS_PAGE_H_
#define ACLGRAD_BENCH_CHECKERS_PAGE_H_

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace aclgrad::bench {

/// Replaces what stands between the marks. Throws std::runtime_error where there are none.
inline void write_into(const std::string& path, const std::string& program, const std::string& part,
                       const std::string& text) {
  std::ifstream in(path);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string page = buffer.str();
  const std::string mark = "<!-- begin: written by " + program + ", " + part + " -->\n";
  const std::size_t begin = page.find(mark);
  const std::size_t end = page.find("<!-- end: " + part + " -->\n");
  if (begin == std::string::npos || end == std::string::npos) {
    throw std::runtime_error(path + " has no marks to write between");
  }
  std::ofstream(path) << page.substr(0, begin) << mark << text << page.substr(end);
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_CHECKERS_PAGE_H_
