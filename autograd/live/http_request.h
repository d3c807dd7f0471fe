// SPDX-License-Identifier: Apache-2.0
// What is known of an HTTP request before anything of its body is read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace aclgrad::live {

/// Bounds of one request. A browser's head has a few hundred bytes and its cookies.
inline constexpr std::size_t kMostHead = std::size_t{32} << 10;
inline constexpr std::size_t kMostBody = std::size_t{1} << 20;

struct RequestHead {
  std::string method, path, host, origin;
  bool has_origin = false;
  std::size_t length = 0;  ///< of the body
  bool keeps_alive = true;
  bool wants_go_ahead = false;  ///< sends its body when it is told to
};

struct RefusedRequest {
  int status;
  std::string sentence;
};

/// Reads a head without the empty line at its end. Bodies have a length and stand as they are:
/// neither chunks nor compression are taken, whose size nobody knows beforehand.
std::variant<RequestHead, RefusedRequest> read_head(std::string_view text);

/// Whether the request is for the server at this port and comes from its own page, or from none. A
/// page of another site may make the browser ask, under a name of its own even that leads here.
bool is_from_own_page(const RequestHead& head, int port);

/// Whether the path begins with "/token/"; takes as long for every wrong one.
bool has_token(std::string_view path, std::string_view token);

}  // namespace aclgrad::live
