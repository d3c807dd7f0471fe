// SPDX-License-Identifier: Apache-2.0
#include "page/document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "page/texts.h"
#include "report/svg.h"

namespace aclgrad::page {
namespace {

// Within HTML an svg element needs no namespace, and the page then names no address at all.
std::string framed(std::string_view kind, std::string_view svg) {
  constexpr std::string_view kNamespace = " xmlns=\"http://www.w3.org/2000/svg\"";
  std::string text(svg);
  if (const std::size_t at = text.find(kNamespace); at != std::string::npos) {
    text.erase(at, kNamespace.size());
  }
  return fmt::format("<div class=\"{}\">{}</div>\n", kind, text);
}

}  // namespace

std::string Document::html() const {
  const std::string safe_title = report::xml_escape(title);
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  text += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  if (refresh_s > 0) {
    text += fmt::format("<meta http-equiv=\"refresh\" content=\"{}\"/>\n", refresh_s);
  }
  // An empty icon, or browsers ask the server for one.
  text += "<link rel=\"icon\" href=\"data:,\"/>\n";
  text += "<title>" + safe_title + "</title>\n<style>\n";
  text.append(shared_css()).append(style);
  text += "</style>\n</head>\n<body>\n" + body + "<script>\n";
  text.append(shared_js()).append(script);
  return text + "</script>\n</body>\n</html>\n";
}

std::string chart(std::string_view svg) { return framed("chart", svg); }
std::string picture(std::string_view svg) { return framed("picture", svg); }

std::string json_text(const nlohmann::json& data) {
  return data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string data_element(std::string_view id, const nlohmann::json& data) {
  std::string text = json_text(data);
  // "</script" and "<!--" would end or change the element; within JSON strings, the only place
  // where '<' can stand, it may as well be written as its code.
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, text);
}

std::string duration_text(double microseconds) {
  if (microseconds < 1) return fmt::format("{:.0f} ns", microseconds * 1e3);
  if (microseconds < 1e3) return fmt::format("{:.3g} µs", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.3g} ms", microseconds * 1e-3);
  return fmt::format("{:.4g} s", microseconds * 1e-6);
}

}  // namespace aclgrad::page
