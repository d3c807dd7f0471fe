// SPDX-License-Identifier: Apache-2.0
// What every HTML page must keep to, and ways into it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/framework/base/xml_check.h"

namespace aclgrad {

/// The page without the contents of its style sheets and scripts, which follow other rules.
inline std::string markup_of(std::string html) {
  const std::string doctype = "<!DOCTYPE html>\n";
  if (html.starts_with(doctype)) html.erase(0, doctype.size());
  for (const std::string tag : {"style", "script"}) {
    for (std::size_t at = html.find("<" + tag); at != std::string::npos;
         at = html.find("<" + tag, at + 1)) {
      const std::size_t begin = html.find('>', at) + 1;
      html.erase(begin, html.find("</" + tag, begin) - begin);
    }
  }
  return html;
}

/// What is wrong with a page: not well-formed, or not self-contained; "" when all is right.
inline std::string fault_of(const std::string& html) {
  if (!html.starts_with("<!DOCTYPE html>\n")) return "it has no document type";
  for (const char* reference : {"http://", "https://", "src=", "@import", "url(/"}) {
    if (html.find(reference) != std::string::npos) return std::string("it has ") + reference;
  }
  return read_xml(markup_of(html)).error;
}

/// The data element of a page.
inline nlohmann::json data_of(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
}

inline std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace aclgrad
