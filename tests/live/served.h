// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "tests/live/client.h"
#include "tests/live/small_network.h"

namespace aclgrad::live {

using nlohmann::json;

inline std::vector<Choice> choices() { return {{.name = "rate", .options = {"0.05", "0.1"}}}; }

inline Maker maker() {
  return [](const Chosen& chosen) {
    return std::make_unique<SmallNetwork>(std::stod(chosen.at("rate")));
  };
}

// A server that answers on a thread of its own, and somebody who asks.
class Served {
 public:
  Served() : Served(choices(), maker()) {}
  Served(std::vector<Choice> choices, Maker make) {
    std::promise<void> made;
    thread_ = std::thread([&, choices = std::move(choices), make = std::move(make)] {
      server_ = std::make_unique<Server>(choices, make, ServerOptions{.title = "A <test>"});
      made.set_value();
      server_->wait();
    });
    made.get_future().wait();
    client_.emplace(server_->address());
  }
  ~Served() { end(); }
  void end() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
    server_.reset();
  }

  const Client& client() const { return *client_; }
  const std::string& root() const { return client_->root(); }
  int port() const { return client_->port(); }
  Server& server() { return *server_; }

  Response post(const std::string& body) const { return client_->command(body); }
  json ask(const json& command) const {
    const Response response = post(command.dump());
    return response.status == 0 ? json() : json::parse(response.body);
  }
  json data(const std::string& id) const {
    const std::string page = client_->get(root()).body;
    const std::string begin = "id=\"" + id + "\">";
    const std::size_t at = page.find(begin) + begin.size();
    return json::parse(page.substr(at, page.find("</script>", at) - at));
  }

 private:
  std::thread thread_;
  std::unique_ptr<Server> server_;
  std::optional<Client> client_;
};

}  // namespace aclgrad::live
