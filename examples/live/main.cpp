// SPDX-License-Identifier: Apache-2.0
// Backprop to touch: trains a small network and serves a page that shows it; see live --help.
#include <aclgrad/error.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "examples/live/networks.h"

using namespace aclgrad;

int main(int argc, char** argv) {
  const std::vector<networks::Entry> all = networks::all();
  std::string name = "xor", list;
  std::vector<std::string> names;
  for (const networks::Entry& entry : all) {
    names.push_back(entry.name);
    list += fmt::format("  {:<12} {}\n", entry.name, entry.title);
  }
  live::ServerOptions options;
  options.open_browser = true;
  bool stays_closed = false;
  CLI::App app(
      "Trains a network here and shows it in a browser, on this machine only: every number, "
      "forward "
      "and backward, to be looked at, edited and checked. Ctrl-C ends it.");
  app.add_option("network", name, "which one")->check(CLI::IsMember(names))->capture_default_str();
  app.add_option("--port", options.port, "of 127.0.0.1; 0: one that is free")
      ->capture_default_str();
  app.add_flag("--no-browser", stays_closed, "print the address only");
  app.footer("Networks:\n" + list);
  CLI11_PARSE(app, argc, argv);
  options.open_browser = !stays_closed;
  try {
    for (const networks::Entry& entry : all) {
      if (entry.name != name) continue;
      options.title = entry.title;
      options.lessons = entry.lessons;
      live::Server server(entry.choices, entry.make, options);
      fmt::print("{}\n{}\nCtrl-C ends it.\n", entry.title, server.address());
      std::fflush(stdout);
      server.wait();
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
