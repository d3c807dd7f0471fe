// SPDX-License-Identifier: Apache-2.0
// live::Server: a training run to touch. It serves one page, on this machine only, that shows the
// network's graph, forward, backward and update, with every number of the step to come, and that
// trains, stops, goes back, edits what one points at, and checks gradients by differences.
//
//   Trainer trainer(model, loss, optimizer);
//   live::Server server(trainer, {.example = batch});
//   fmt::print("{}\n", server.address());
//   server.wait();                          // trains as the page says, until the program ends
//
// A network that can be made anew, with another activation say, is a class of one's own:
//
//   live::Server server(choices, [](const live::Chosen& chosen) {
//     return std::make_unique<Spirals>(activation_named(chosen.at("activation")));
//   });
//
// In fit() the page watches, and may hold the run: fit(trainer, batches, {.callbacks =
// {server.callback()}}).
//
// A library of its own, aclgrad::live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/fit.h"
#include "aclgrad/trainer.h"

namespace aclgrad::live {

/// A picture beside the graph, drawn anew with every change.
struct Picture {
  enum class Kind {
    surface,  ///< values [rows, columns] as colours, the first row at the top
    bars,     ///< values [n] with a label each
    lines,    ///< values [curves, points], a label for each curve
    grid,     ///< values [rows, columns], with a label for each row and column
  };
  Kind kind = Kind::bars;
  std::string title = {};
  Tensor values = {};
  std::vector<std::string> labels = {};
  std::vector<std::string> columns = {};        ///< of a grid
  std::pair<double, double> range = {-1, 1};    ///< of a surface's colours
  std::pair<double, double> x_range = {-1, 1};  ///< what a surface lies over
  std::pair<double, double> y_range = {-1, 1};
  Tensor points = {};  ///< on a surface: [n, 3], x, y and a class
  bool log = false;    ///< lines on a logarithmic scale
};

/// Where the page's user draws: values from 0 to `high`, [rows, columns].
struct Drawing {
  std::string name;
  Tensor pixels;
  double high = 1;
};

/// Where the page's user types.
struct Text {
  std::string name;
  std::string text;
  std::int64_t max = 64;  ///< bytes
};

/// What the server trains.
class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  /// The trainer on show, first, and others that are trained beside it on the same batches. The
  /// same ones at every call.
  virtual std::vector<Trainer*> trainers() = 0;

  /// The batch of a step, counted from 0: the same for the same step, of the same shapes for all.
  virtual data::Dataset batch(std::int64_t step) = 0;

  virtual std::vector<Picture> pictures() { return {}; }

  /// Fields for the user, and what came from them: for pictures() to come.
  virtual std::vector<Drawing> drawings() { return {}; }
  virtual void drawn(const std::string& /*name*/, const Tensor& /*pixels*/) {}
  virtual std::vector<Text> texts() { return {}; }
  virtual void typed(const std::string& /*name*/, const std::string& /*text*/) {}
};

/// Something that the page's user may choose; the network is then made anew.
struct Choice {
  std::string name;
  std::vector<std::string> options;
  std::string now = {};  ///< the first option where it is empty
};

/// What was chosen, by the names of the choices.
using Chosen = std::map<std::string, std::string>;
using Maker = std::function<std::unique_ptr<Network>(const Chosen& chosen)>;

struct ServerOptions {
  data::Dataset example = {};  ///< the batch that is trained on and shown; with a Trainer only

  std::string title = "Live";
  std::uint16_t port = 0;     ///< of 127.0.0.1; 0: one that is free
  bool open_browser = false;  ///< in wait()

  /// Markdown, each with a heading: a column of the page, where a button does what an instruction
  /// says, and the page says when what is claimed is on the screen (docs/how-to/live.md).
  std::vector<std::string> lessons = {};

  /// Bytes for states to go back to, besides the first. Of those that do not fit every second goes;
  /// a step in between is computed again from the state before it.
  std::size_t history_bytes = std::size_t{256} << 20;
};

/// Listens from the beginning; answers in wait(), or in fit() by its callback, on their thread.
/// Nothing but the page and its data is served, to this machine only, and to nobody without the
/// token that is a part of the address.
class Server {
 public:
  /// Refers to the trainer, which nothing else may use while wait() runs. Throws ValueError for an
  /// example without examples, IoError where it cannot listen or start its thread, and as
  /// Trainer::record_step().
  explicit Server(Trainer& trainer, ServerOptions options = {});

  /// Throws ValueError for choices without options or of the same name, and as above.
  Server(std::vector<Choice> choices, Maker make, ServerOptions options = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// "http://127.0.0.1:41234/3f9c.../".
  const std::string& address() const;

  /// Trains, shows and answers until stop(). Where fit() has thrown, it goes on from there. Holds
  /// training when the last page that listened has been closed for five seconds.
  void wait();

  /// From any thread, for good; also before wait(), which then returns at once.
  void stop();

  /// For fit(): shows every step's batch before it is trained on; the page may hold the run, edit,
  /// set the learning rate and go on step by step, but neither go back nor choose.
  Callback callback();

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The same without a server, in a program that Emscripten has compiled: the network trains in a
/// web worker of its page (docs/how-to/live.md says how such a page is made). `port`,
/// `open_browser` and `example` do not count. There is one; it lives until the page is closed.
void run_in_worker(std::vector<Choice> choices, Maker make, ServerOptions options = {});

}  // namespace aclgrad::live
