// SPDX-License-Identifier: Apache-2.0
// A client that sends what it likes, byte by byte where that is wanted.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aclgrad::live {

struct Response {
  int status = 0;  // 0: there was none
  std::string head, body;
};

class Wire {
 public:
  explicit Wire(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
      close(socket_);
      throw std::runtime_error("cannot connect");
    }
    const timeval limit{20, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  Wire(Wire&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire() {
    if (socket_ >= 0) close(socket_);
  }

  // Whether all of it was taken.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  // The next bytes; "" at the end.
  std::string receive() const {
    std::array<char, 1 << 16> bytes;
    const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
  }

  // Hangs up our side.
  void finish() const { shutdown(socket_, SHUT_WR); }

  // One answer, the whole of it or what came of it.
  Response response() {
    Response response;
    std::size_t end = std::string::npos;
    while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
      const std::string more = receive();
      if (more.empty()) return response;
      in_ += more;
    }
    response.head = in_.substr(0, end + 2);
    in_.erase(0, end + 4);
    response.status = std::stoi(response.head.substr(response.head.find(' ')));
    const std::string field = "\r\nContent-Length: ";
    const std::size_t at = response.head.find(field);
    const std::size_t size =
        at == std::string::npos ? 0 : std::stoul(response.head.substr(at + field.size()));
    while (in_.size() < size) {
      const std::string more = receive();
      if (more.empty()) break;
      in_ += more;
    }
    response.body = in_.substr(0, size);
    in_.erase(0, size);
    return response;
  }

 private:
  int socket_;
  std::string in_;
};

// The server at an address as it prints them.
class Client {
 public:
  explicit Client(const std::string& address) {
    const std::size_t port = address.rfind(':') + 1, path = address.find('/', port);
    port_ = std::stoi(address.substr(port, path - port));
    root_ = address.substr(path);
  }

  int port() const { return port_; }
  const std::string& root() const { return root_; }
  Wire wire() const { return Wire(port_); }

  using Fields = std::vector<std::pair<std::string, std::string>>;
  std::string request(const std::string& method, const std::string& path, const std::string& body,
                      Fields fields = {}) const {
    std::string text = method + " " + path + " HTTP/1.1\r\n";
    bool has_host = false;
    for (const auto& [name, value] : fields) {
      text += name + ": " + value + "\r\n";
      has_host = has_host || name == "Host";
    }
    if (!has_host) text += "Host: 127.0.0.1:" + std::to_string(port_) + "\r\n";
    if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
  }

  Response ask(const std::string& method, const std::string& path, const std::string& body = {},
               const Fields& fields = {}) const {
    Wire wire(port_);
    wire.send(request(method, path, body, fields));
    return wire.response();
  }
  Response get(const std::string& path, const Fields& fields = {}) const {
    return ask("GET", path, {}, fields);
  }
  Response command(const std::string& body) const { return ask("POST", root_ + "command", body); }

  // Hands on the events as they come, until told to stop or the end.
  void listen(const std::function<bool(std::string_view event)>& take) const {
    Wire wire(port_);
    wire.send(request("GET", root_ + "events", {}));
    std::string text;
    for (std::string more; !(more = wire.receive()).empty();) {
      text += more;
      for (std::size_t end; (end = text.find("\n\n")) != std::string::npos;
           text.erase(0, end + 2)) {
        if (!take(std::string_view(text).substr(0, end))) return;
      }
    }
  }

 private:
  int port_ = 0;
  std::string root_;
};

}  // namespace aclgrad::live
