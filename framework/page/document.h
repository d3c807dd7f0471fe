// SPDX-License-Identifier: Apache-2.0
// What all HTML pages share: one document that needs nothing else (no network, no other file), the
// look in light and dark, and ways to put text and data into it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace aclgrad::page {

struct Document {
  std::string title;       ///< any characters
  std::string body;        ///< markup
  std::string_view style;  ///< CSS after the shared one
  std::string script;      ///< JavaScript after the shared one
  int refresh_s = 0;       ///< when above 0, browsers load the page anew after so many seconds

  std::string html() const;
};

/// A drawing of aclgrad/report.h within a page. The colours of a chart follow the page's; a picture
/// (an image, or text on coloured cells) keeps its own, on white.
std::string chart(std::string_view svg);
std::string picture(std::string_view svg);

/// Bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::json& data);

/// A script element with data for the page's JavaScript. No text in the data can end the element,
/// and bytes that are not UTF-8 are replaced.
std::string data_element(std::string_view id, const nlohmann::json& data);

/// "840 ns", "12.3 µs", "4.56 ms", "1.23 s".
std::string duration_text(double microseconds);

}  // namespace aclgrad::page
