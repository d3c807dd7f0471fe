// SPDX-License-Identifier: Apache-2.0
#include "live/http_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace aclgrad::live {
namespace {

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](char sign) {
    return sign >= 'A' && sign <= 'Z' ? static_cast<char>(sign - 'A' + 'a') : sign;
  });
  return all;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// The text before a separator, which goes with it.
std::string_view cut(std::string_view& text, std::string_view separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + separator.size()));
  return part;
}

bool is_name(std::string_view name) {
  static constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [](char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
           (sign >= '0' && sign <= '9') || kOthers.find(sign) != std::string_view::npos;
  });
}

class HeadReader {
 public:
  std::variant<RequestHead, RefusedRequest> read(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) return refused("it has a zero byte");
    std::string_view line = cut(text, "\r\n");
    head_.method = cut(line, " ");
    head_.path = cut(line, " ");
    if (head_.method.empty() || !head_.path.starts_with('/')) return refused("its first line");
    if (line != "HTTP/1.1" && line != "HTTP/1.0") return refused("it is neither HTTP/1.1 nor 1.0");
    head_.keeps_alive = line == "HTTP/1.1";
    while (!text.empty()) {
      const std::string_view field = cut(text, "\r\n");
      const std::size_t colon = field.find(':');
      if (colon == std::string_view::npos || !is_name(field.substr(0, colon))) {
        return refused("a line that is no field");
      }
      if (!take(lower(field.substr(0, colon)), trimmed(field.substr(colon + 1)))) return refused_;
    }
    return head_;
  }

 private:
  static RefusedRequest refused(std::string_view what) {
    return {400, fmt::format("this request cannot be read: {}\n", what)};
  }

  bool take(const std::string& name, std::string_view value) {
    constexpr std::array<std::string_view, 4> kOnce = {"host", "origin", "content-length",
                                                       "expect"};
    if (std::ranges::find(kOnce, name) != kOnce.end() && !seen_.insert(name).second) {
      return fail(refused(fmt::format("it has {} twice", name)));
    }
    if (name == "host") head_.host = value;
    if (name == "origin") {
      head_.origin = value;
      head_.has_origin = true;
    }
    if (name == "connection" && lower(value) == "close") head_.keeps_alive = false;
    if (name == "expect") head_.wants_go_ahead = lower(value) == "100-continue";
    if (name == "transfer-encoding") {
      return fail({411, "a request says how long it is: chunks are not taken\n"});
    }
    if (name == "content-encoding" && lower(value) != "identity") {
      return fail({415, "a request stands as it is: compressed ones are not taken\n"});
    }
    return name != "content-length" || take_length(value);
  }

  bool take_length(std::string_view value) {
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, head_.length);
    if (error == std::errc::result_out_of_range ||
        (error == std::errc() && rest == end && head_.length > kMostBody)) {
      return fail({413, fmt::format("a request has at most {} bytes\n", kMostBody)});
    }
    return (error == std::errc() && rest == end) || fail(refused("its length is no number"));
  }

  bool fail(RefusedRequest refused) {
    refused_ = std::move(refused);
    return false;
  }

  RequestHead head_;
  RefusedRequest refused_{400, {}};
  std::set<std::string> seen_;
};

}  // namespace

std::variant<RequestHead, RefusedRequest> read_head(std::string_view text) {
  return HeadReader().read(text);
}

bool is_from_own_page(const RequestHead& head, int port) {
  constexpr int kDefault = 80;  // which a browser leaves out
  const auto is = [&](const char* name) {
    return head.host == fmt::format("{}:{}", name, port) || (port == kDefault && head.host == name);
  };
  if (!is("127.0.0.1") && !is("localhost")) return false;
  return !head.has_origin || head.origin == "http://" + head.host;
}

bool has_token(std::string_view path, std::string_view token) {
  if (path.size() < token.size() + 2) return false;
  unsigned difference =
      static_cast<unsigned>(path[0] ^ '/') | static_cast<unsigned>(path[token.size() + 1] ^ '/');
  for (std::size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned char>(path[i + 1]) ^ static_cast<unsigned char>(token[i]);
  }
  return difference == 0;
}

}  // namespace aclgrad::live
