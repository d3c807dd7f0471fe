// SPDX-License-Identifier: Apache-2.0
#include "live/http_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kEnd = "\r\n\r\n";

const char* name_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 503:
      return "Service Unavailable";
    default:
      return status < 500 ? "Bad Request" : "Internal Server Error";
  }
}

// For the whole of what a phase is, whatever dribbles in meanwhile.
Clock::duration time_for(Connection::Phase phase) {
  switch (phase) {
    case Connection::Phase::head:
      return 5s;
    case Connection::Phase::body:
      return 10s;
    case Connection::Phase::answering:
      return 60s;
    case Connection::Phase::streaming:
      return 30s;  // for one frame
    case Connection::Phase::leaving:
      return 2s;
    case Connection::Phase::waiting:
    case Connection::Phase::gone:
      break;
  }
  return 24h;
}

}  // namespace

Connection::Connection(int socket)
    : socket_(socket), deadline_(Clock::now() + time_for(Phase::head)) {}

Connection::~Connection() { close(socket_); }

void Connection::go(Phase phase) {
  phase_ = phase;
  deadline_ = Clock::now() + time_for(phase);
}

bool Connection::receive() {
  std::array<char, 32 << 10> bytes;
  const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count <= 0) {
    go(Phase::gone);
    return false;
  }
  if (phase_ != Phase::leaving) in_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<std::variant<RequestHead, RefusedRequest>> Connection::next_head() {
  if (phase_ != Phase::head) return std::nullopt;
  const std::size_t end = std::string_view(in_).substr(0, kMostHead).find(kEnd);
  if (end != std::string::npos) {
    auto head = read_head(std::string_view(in_).substr(0, end));
    in_.erase(0, end + kEnd.size());
    return head;
  }
  if (in_.size() < kMostHead) return std::nullopt;
  return RefusedRequest{431,
                        fmt::format("the head of a request has at most {} bytes\n", kMostHead)};
}

void Connection::accept(RequestHead head) {
  head_ = std::move(head);
  known_ = true;
  last_ = !head_.keeps_alive;
  go(Phase::body);
  if (head_.wants_go_ahead) send(share("HTTP/1.1 100 Continue\r\n\r\n"));
}

std::optional<std::string> Connection::next_body() {
  if (phase_ != Phase::body || in_.size() < head_.length) return std::nullopt;
  std::string body = in_.substr(0, head_.length);
  in_.erase(0, head_.length);
  go(Phase::waiting);
  return body;
}

void Connection::answer(int status, const char* type, SharedText body) {
  // Of what was not accepted nobody knows where the next request would begin.
  last_ = last_ || phase_ != Phase::waiting;
  out_.push_back(share(fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
      "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; worker-src 'self'; connect-src 'self'; img-src data:; "
      "base-uri 'none'; form-action 'none'\r\n\r\n",
      status, name_of(status), type, body->size(), last_ ? "close" : "keep-alive")));
  if (!body->empty()) out_.push_back(std::move(body));
  go(Phase::answering);
  flush();
}

void Connection::begin_stream(SharedText head) {
  go(Phase::streaming);
  out_.push_back(
      share("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n"));
  send(std::move(head));
}

void Connection::send(SharedText text) {
  if (out_.empty() && phase_ == Phase::streaming) go(Phase::streaming);  // the time for this one
  if (!text->empty()) out_.push_back(std::move(text));
  flush();
}

void Connection::flush() {
  while (!out_.empty() && phase_ != Phase::gone) {
    const std::string& text = *out_.front();
    const ssize_t count = ::send(socket_, text.data() + sent_, text.size() - sent_, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return go(Phase::gone);
    sent_ += static_cast<std::size_t>(count);
    if (sent_ < text.size()) continue;
    out_.pop_front();
    sent_ = 0;
  }
  if (phase_ == Phase::answering) last_ ? leave() : go(Phase::head);
}

void Connection::leave() {
  in_ = {};
  shutdown(socket_, SHUT_WR);
  go(Phase::leaving);
}

void Connection::expire() {
  if (phase_ == Phase::body || (phase_ == Phase::head && !in_.empty())) {
    answer(408, "text/plain", share("this request took too long to come\n"));
  } else {
    go(Phase::gone);
  }
}

}  // namespace aclgrad::live
