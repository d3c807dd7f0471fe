// SPDX-License-Identifier: Apache-2.0
#include "live/http.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "live/http_connection.h"
#include "page/document.h"

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;
using Phase = Connection::Phase;

constexpr const char* kHost = "127.0.0.1";
constexpr std::size_t kMostUnknown = 64;
constexpr std::size_t kMostConnections = 256;
constexpr std::size_t kMostListeners = 64;
constexpr auto kBetweenFrames = 33ms;  // to one page
constexpr auto kBetweenSigns = 1s;     // of life
constexpr const char* kText = "text/plain; charset=utf-8";

std::string new_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

SharedText event(const char* name, const nlohmann::json& what) {
  return share(fmt::format("event: {}\ndata: {}\n\n", name, page::json_text(what)));
}

}  // namespace

class Http::Loop {
  // A descriptor of one's own.
  class Descriptor {
   public:
    explicit Descriptor(int number) : number_(number) {
      if (number < 0)
        throw IoError(fmt::format("cannot listen: {}", std::generic_category().message(errno)));
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(number_); }
    int get() const { return number_; }

   private:
    int number_;
  };

 public:
  Loop(std::uint16_t port, HttpHandlers handlers)
      : handlers_(std::move(handlers)),
        token_(new_token()),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
        bell_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    listen_at(port);
    address_ = fmt::format("http://{}:{}/{}/", kHost, port_, token_);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      throw IoError(fmt::format("cannot start the thread that serves the page: {}", error.what()));
    }
  }

  ~Loop() {
    quits_ = true;
    ring();
    thread_.join();
  }

  const std::string& address() const { return address_; }

  void publish(std::string frame) {
    SharedText text = share("event: frame\ndata: " + std::move(frame) + "\n\n");
    const std::lock_guard lock(mutex_);
    frame_ = std::move(text);
    ++frame_number_;
    ring();
  }

  void say(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    said_ = event("trouble", {{"error", sentence}});
    ring();
  }

  bool has_listeners() const { return listeners_ > 0; }

  std::chrono::nanoseconds abandoned() const {
    const std::lock_guard lock(mutex_);
    return left_ && listeners_ == 0 ? Clock::now() - *left_ : 0ns;
  }

  void end() {
    ends_ = true;
    ring();
  }

 private:
  struct Reply {
    std::uint64_t connection;
    const char* type;
    Answer answer;
  };

  void ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t count = write(bell_.get(), &one, sizeof one);
  }

  void listen_at(std::uint16_t port) {
    // Not SO_REUSEPORT, which would let another program listen at the same port.
    const int yes = 1;
    setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    auto* const any = reinterpret_cast<sockaddr*>(&place);
    if (bind(listener_.get(), any, size) != 0 || listen(listener_.get(), SOMAXCONN) != 0) {
      throw IoError(port == 0
                        ? fmt::format("cannot listen on {}: no port is free", kHost)
                        : fmt::format("cannot listen on {}:{}: is another program there? With port "
                                      "0 a free one is taken",
                                      kHost, port));
    }
    getsockname(listener_.get(), any, &size);
    port_ = ntohs(place.sin_port);
  }

  void run() {
    while (!quits_) {
      wait();
      take_new();
      deliver();
      for (auto& [id, connection] : connections_) serve(id, *connection);
      std::erase_if(connections_,
                    [](const auto& known) { return known.second->phase() == Phase::gone; });
      count_listeners();
    }
    deliver();
  }

  void wait() {
    std::vector<pollfd> sockets = {{bell_.get(), POLLIN, 0}};
    sockets.push_back({listener_.get(), static_cast<short>(accepts_ ? POLLIN : 0), 0});
    Clock::time_point next = Clock::now() + (accepts_ ? 60s : 0s) + 100ms;
    for (const auto& [id, connection] : connections_) {
      short events = 0;
      if (connection->reads()) events |= POLLIN;
      if (connection->phase() == Phase::streaming) events |= POLLRDHUP;
      if (connection->wants_to_write()) events |= POLLOUT;
      sockets.push_back({connection->socket(), events, 0});
      next = std::min(next, connection->deadline());
      if (connection->phase() != Phase::streaming || !connection->is_clear()) continue;
      next = std::min(next, connection->next_sign);
      if (connection->frame < frame_number_) next = std::min(next, connection->next_frame);
    }
    const auto time = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    poll(sockets.data(), sockets.size(), static_cast<int>(std::max<std::int64_t>(0, time.count())));
    accepts_ = true;
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t count = read(bell_.get(), &rung, sizeof rung);
    auto at = sockets.begin() + 2;
    for (auto& [id, connection] : connections_) {
      const short seen = (at++)->revents;
      if (seen & (POLLHUP | POLLERR | POLLNVAL | POLLRDHUP)) hung_up_.push_back(id);
    }
  }

  void take_new() {
    constexpr int kAtOnce = 64;
    for (int i = 0; i < kAtOnce; ++i) {
      const int socket = accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) {
        const bool nobody_waits = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
        // Descriptors or memory may be used up, and the client still waits: whoever has shown
        // nothing makes room, or all wait a little.
        if (!nobody_waits && !drop_oldest_unknown()) accepts_ = false;
        return;
      }
      const int yes = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      connections_.emplace(++last_id_, std::make_unique<Connection>(socket));
      const auto unknown = std::ranges::count_if(
          connections_, [](const auto& known) { return !known.second->is_known(); });
      if (static_cast<std::size_t>(unknown) > kMostUnknown ||
          connections_.size() > kMostConnections) {
        drop_oldest_unknown();
      }
    }
  }

  bool drop_oldest_unknown() {
    const auto oldest = std::ranges::find_if(
        connections_, [](const auto& known) { return !known.second->is_known(); });
    if (oldest == connections_.end()) return false;
    connections_.erase(oldest);
    return true;
  }

  void deliver() {
    std::vector<Reply> replies;
    {
      const std::lock_guard lock(mutex_);
      replies.swap(replies_);
    }
    for (Reply& reply : replies) {
      const auto found = connections_.find(reply.connection);
      if (found == connections_.end()) continue;
      found->second->answer(reply.answer.status, reply.type, share(std::move(reply.answer.body)));
    }
    for (const std::uint64_t id : hung_up_) {
      const auto found = connections_.find(id);
      if (found != connections_.end() && !found->second->reads()) connections_.erase(found);
    }
    hung_up_.clear();
  }

  void serve(std::uint64_t id, Connection& connection) {
    if (connection.wants_to_write()) connection.flush();
    if (connection.reads()) connection.receive();
    for (;;) {
      if (auto head = connection.next_head()) {
        decide(connection, std::move(*head));
      } else if (auto body = connection.next_body()) {
        route(id, connection, std::move(*body));
      } else {
        break;
      }
    }
    if (connection.phase() == Phase::streaming) stream(connection);
    if (Clock::now() >= connection.deadline()) connection.expire();
  }

  // Who does not know the token is refused before a byte of a body is taken.
  void decide(Connection& connection, std::variant<RequestHead, RefusedRequest> head) {
    if (const auto* refused = std::get_if<RefusedRequest>(&head)) {
      return connection.answer(refused->status, kText, share(refused->sentence));
    }
    auto& request = std::get<RequestHead>(head);
    if (is_from_own_page(request, port_) && has_token(request.path, token_)) {
      return connection.accept(std::move(request));
    }
    connection.answer(403, kText,
                      share("not with this address: take the one that the program printed\n"));
  }

  void route(std::uint64_t id, Connection& connection, std::string body) {
    const std::string& method = connection.request().method;
    const std::string path = connection.request().path.substr(token_.size() + 2);
    const auto done = [this, id](const char* type) {
      return [this, id, type](Answer answer) {
        const std::lock_guard lock(mutex_);
        replies_.push_back({id, type, std::move(answer)});
        ring();
      };
    };
    const bool gets = method == "GET";
    if (gets && path.empty()) {
      handlers_.page(done("text/html; charset=utf-8"));
    } else if (gets && path == "events") {
      join(connection);
    } else if (gets && path == "stream.js") {
      connection.answer(200, "text/javascript; charset=utf-8", share(handlers_.script()));
    } else if (method == "POST" && path == "command") {
      handlers_.command(std::move(body), done("application/json"));
    } else {
      connection.answer(404, kText, share("there is nothing of this name\n"));
    }
  }

  void join(Connection& connection) {
    const auto listeners = std::ranges::count_if(
        connections_, [](const auto& other) { return other.second->phase() == Phase::streaming; });
    if (static_cast<std::size_t>(listeners) >= kMostListeners) {
      connection.begin_stream(event(
          "refused",
          {{"error", fmt::format("{} pages are open already: close one and load this page again",
                                 kMostListeners)}}));
      return connection.leave();
    }
    connection.begin_stream(ends_ ? end_ : sign());
  }

  SharedText sign() const {
    const std::chrono::duration<double> neglected = handlers_.neglected();
    return event("life", {{"busy", neglected.count()}});
  }

  void stream(Connection& connection) {
    if (ends_) {
      if (connection.is_clear()) connection.send(end_);
      return connection.leave();
    }
    if (!connection.is_clear()) return;
    const Clock::time_point now = Clock::now();
    SharedText next, said;
    {
      const std::lock_guard lock(mutex_);
      if (connection.frame < frame_number_ && now >= connection.next_frame) {
        next = frame_;
        connection.frame = frame_number_;
      }
      if (said_ && connection.said != said_) said = connection.said = said_;
    }
    if (next) {
      connection.send(std::move(next));
      connection.next_frame = now + kBetweenFrames;
    }
    if (said) connection.send(std::move(said));
    if (now >= connection.next_sign) {
      connection.send(sign());
      connection.next_sign = now + kBetweenSigns;
    }
  }

  void count_listeners() {
    const auto count = std::ranges::count_if(
        connections_, [](const auto& known) { return known.second->phase() == Phase::streaming; });
    if (listeners_ > 0 && count == 0) {
      const std::lock_guard lock(mutex_);
      left_ = Clock::now();
    }
    listeners_ = static_cast<int>(count);
  }

  HttpHandlers handlers_;
  std::string token_, address_;
  Descriptor listener_, bell_;
  int port_ = 0;
  const SharedText end_ = event("end", {{"error", "the program has ended"}});

  mutable std::mutex mutex_;  // of what other threads leave here
  std::vector<Reply> replies_;
  SharedText frame_, said_;
  std::atomic<std::uint64_t> frame_number_ = 0;
  std::optional<Clock::time_point> left_;
  std::atomic<int> listeners_ = 0;
  std::atomic<bool> quits_ = false, ends_ = false;

  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;  // the oldest first
  std::vector<std::uint64_t> hung_up_;
  std::uint64_t last_id_ = 0;
  bool accepts_ = true;
  std::thread thread_;
};

Http::Http(std::uint16_t port, HttpHandlers handlers)
    : loop_(std::make_unique<Loop>(port, std::move(handlers))) {}
Http::~Http() = default;

const std::string& Http::address() const { return loop_->address(); }
void Http::publish(std::string frame) { loop_->publish(std::move(frame)); }
void Http::say(const std::string& sentence) { loop_->say(sentence); }
bool Http::has_listeners() const { return loop_->has_listeners(); }
std::chrono::nanoseconds Http::abandoned() const { return loop_->abandoned(); }
void Http::end() { loop_->end(); }

}  // namespace aclgrad::live
