// SPDX-License-Identifier: Apache-2.0
// A small strict reader for the SVG and HTML that the tests look at: balanced tags, quoted
// attributes, no stray markup, only known entities.
#pragma once

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace aclgrad {

struct XmlSummary {
  std::string error;                 ///< empty when the text is well formed
  std::map<std::string, int> count;  ///< elements by name
  std::vector<std::string> texts;    ///< contents of text elements, entities still coded
};

inline XmlSummary read_xml(const std::string& xml) {
  static const std::regex kTag(
      R"re(<(/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z][A-Za-z0-9:-]*="[^"<]*")*)\s*(/?)>)re");
  static const std::regex kStray(
      R"re([<>]|&(?!(amp|lt|gt|quot|#39);)|[\x01-\x08\x0b\x0c\x0e-\x1f])re");
  XmlSummary summary;
  std::vector<std::string> open;
  const auto fail = [&](const std::string& what) {
    if (summary.error.empty()) summary.error = what;
  };
  std::size_t at = 0;
  bool root_seen = false;
  while (at < xml.size()) {
    const std::size_t next = std::min(xml.find('<', at), xml.size());
    const std::string content = xml.substr(at, next - at);
    if (std::regex_search(content, kStray)) fail("stray markup: " + content);
    if (open.empty() && content.find_first_not_of(" \n") != std::string::npos) {
      fail("text outside: " + content);
    }
    if (!open.empty() && open.back() == "text") summary.texts.push_back(content);
    at = next;
    if (at == xml.size()) break;
    const std::string tag = xml.substr(at, xml.find('>', at) - at + 1);
    std::smatch match;
    if (!std::regex_match(tag, match, kTag)) {
      fail("bad tag: " + tag);
      break;
    }
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2]) fail("closes what is not open: " + tag);
      if (!open.empty()) open.pop_back();
    } else {
      if (open.empty() && root_seen) fail("second root: " + tag);
      root_seen = true;
      if (std::regex_search(match[3].first, match[3].second,
                            std::regex("&(?!(amp|lt|gt|quot|#39);)"))) {
        fail("bare ampersand: " + tag);
      }
      ++summary.count[match[2]];
      if (match[4].length() == 0) open.push_back(match[2]);
    }
    at += tag.size();
  }
  if (!open.empty()) fail("left open: " + open.back());
  return summary;
}

}  // namespace aclgrad
