// SPDX-License-Identifier: Apache-2.0
#include "live/http.h"

#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "aclgrad/error.h"

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHost = "127.0.0.1";
constexpr std::size_t kMostBytes = 1 << 20;  // of a request
constexpr auto kBetweenFrames = 33ms;        // to one page
constexpr auto kSignOfLife = 2s;             // else a closed page would not be noticed

std::string new_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

// Takes as long for every wrong text of this length.
bool equal(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

void give(httplib::Response& response, const Answer& answer, const char* type) {
  response.status = answer.status;
  response.set_content(answer.body, type);
}

}  // namespace

class Http::Listener {
 public:
  Listener(std::function<Answer()> page, std::function<Answer(const std::string&)> command,
           Broadcast& frames)
      : token_(new_token()), frames_(frames) {
    server_.new_task_queue = [] {
      constexpr std::size_t kThreads = 24;  // a page that listens keeps one
      return new httplib::ThreadPool(kThreads);
    };
    // Not SO_REUSEPORT, which would let another program listen at the same port.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_keep_alive_timeout(1);
    server_.set_payload_max_length(kMostBytes);
    server_.set_tcp_nodelay(true);
    server_.set_default_headers(
        {{"Cache-Control", "no-store"},
         {"X-Content-Type-Options", "nosniff"},
         {"Referrer-Policy", "no-referrer"},
         {"X-Frame-Options", "DENY"},
         {"Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"}});
    server_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          if (is_for_us(request)) return httplib::Server::HandlerResponse::Unhandled;
          give(response, {403, "not with this address: take the one that the program printed\n"},
               "text/plain");
          return httplib::Server::HandlerResponse::Handled;
        });
    const std::string root = "/" + token_ + "/";
    server_.Get(root,
                [page = std::move(page)](const httplib::Request&, httplib::Response& response) {
                  give(response, page(), "text/html; charset=utf-8");
                });
    server_.Post(root + "command", [command = std::move(command)](const httplib::Request& request,
                                                                  httplib::Response& response) {
      give(response, command(request.body), "application/json");
    });
    server_.Get(root + "events",
                [this](const httplib::Request&, httplib::Response& response) { stream(response); });
  }

  // The port, or 0.
  int bind(std::uint16_t port) {
    if (port == 0) {
      port_ = server_.bind_to_any_port(kHost);
      if (port_ < 0) port_ = 0;
    } else {
      port_ = server_.bind_to_port(kHost, port) ? port : 0;
    }
    return port_;
  }

  void listen() {
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(1ms);
  }

  ~Listener() {
    frames_.close();
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
  }

  std::string address() const { return fmt::format("http://{}:{}/{}/", kHost, port_, token_); }

 private:
  // A page of another site may make the browser ask, under a name of its own even that leads here;
  // it knows neither the token nor may it use another name.
  bool is_for_us(const httplib::Request& request) const {
    const std::string host = request.get_header_value("Host");
    const std::string own = fmt::format("{}:{}", kHost, port_);
    if (host != own && host != fmt::format("localhost:{}", port_)) return false;
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) {
      return false;
    }
    return equal(request.path.substr(0, token_.size() + 2), "/" + token_ + "/");
  }

  void stream(httplib::Response& response) {
    if (!frames_.join()) {
      give(response, {503, "too many pages are open already\n"}, "text/plain");
      return;
    }
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, number = std::uint64_t{0}](std::size_t, httplib::DataSink& sink) mutable {
          const Broadcast::Text text = frames_.wait_newer(number, kSignOfLife);
          if (frames_.is_closed()) {
            sink.done();
            return true;
          }
          const auto next = std::chrono::steady_clock::now() + kBetweenFrames;
          const std::string event = text ? "event: frame\ndata: " + *text + "\n\n" : ": \n\n";
          sink.write(event.data(), event.size());
          if (text) std::this_thread::sleep_until(next);
          return sink.is_writable();
        },
        [this](bool) { frames_.leave(); });
  }

  std::string token_;
  Broadcast& frames_;
  int port_ = 0;
  httplib::Server server_;
  std::thread thread_;
};

Http::Http(std::uint16_t port, std::function<Answer()> page,
           std::function<Answer(const std::string&)> command, Broadcast& frames)
    : listener_(std::make_unique<Listener>(std::move(page), std::move(command), frames)) {
  if (listener_->bind(port) == 0) {
    throw IoError(port == 0
                      ? fmt::format("cannot listen on {}: no port is free", kHost)
                      : fmt::format("cannot listen on {}:{}: is another program there? With port 0 "
                                    "a free one is taken",
                                    kHost, port));
  }
  listener_->listen();
  address_ = listener_->address();
}

Http::~Http() = default;

}  // namespace aclgrad::live
