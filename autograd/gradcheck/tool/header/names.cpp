// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/names.h"

#include <cctype>

namespace aclgrad::gradcheck {

std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  // bias and biases, weight and weights; not loss.
  if (text.size() > 4 && (text.ends_with("ses") || text.ends_with("xes"))) {
    text.resize(text.size() - 2);
  } else if (text.size() > 3 && text.ends_with("s") && !text.ends_with("ss") &&
             !text.ends_with("as")) {
    text.pop_back();
  }
  return text;
}

std::vector<std::string> gradient_of_name(const std::string& name) {
  const std::string text = plain(name);
  std::vector<std::string> all;
  for (const std::string word :
       {"gradient", "grad", "diff", "delta", "update", "dl", "adjoint", "adj", "bar", "d", "g"}) {
    if (text == word) return {""};
    if (text.starts_with(word)) all.push_back(text.substr(word.size()));
    if (text.ends_with(word)) all.push_back(plain(text.substr(0, text.size() - word.size())));
  }
  // dL_dx
  if (text.starts_with("dld")) all.push_back(text.substr(3));
  return all;
}

}  // namespace aclgrad::gradcheck
