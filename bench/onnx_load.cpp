// SPDX-License-Identifier: Apache-2.0
// bench_onnx_load [FILE]: how long an ONNX model takes to load, beside reading the bytes of its
// file, into new memory and into memory that is there. All by turns in one run; without a file a
// network of about 100 MB.
#include <aclgrad/aclgrad.h>
#include <aclgrad/onnx.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "aclgrad/io/file.h"
#include "bench/median.h"

namespace {

double seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// 25 layers of 1024 x 1024 weights.
void save_network(const std::filesystem::path& path) {
  constexpr std::int64_t kWidth = 1024;
  std::vector<aclgrad::Linear> layers;
  for (int k = 0; k < 25; ++k) layers.emplace_back(fmt::format("layer{}", k), kWidth, kWidth);
  const auto network = [&](aclgrad::Value x) {
    for (const aclgrad::Linear& layer : layers) x = aclgrad::selu(layer(x));
    return x;
  };
  aclgrad::onnx::save(path, network, aclgrad::onnx::Example("x", {1, kWidth}));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How long an ONNX model takes to load, beside reading its file");
  std::filesystem::path path;
  int rounds = 15;
  app.add_option("file", path, "the model (a network of 100 MB)")->check(CLI::ExistingFile);
  app.add_option("--rounds", rounds, "turns of each")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const bool is_ours = path.empty();
  if (is_ours) {
    path = std::filesystem::temp_directory_path() / fmt::format("onnx_load_{}.onnx", ::getpid());
    save_network(path);
  }
  std::string content = aclgrad::read_file(path);
  std::vector<double> reading, rereading, loading;
  for (int k = 0; k < rounds; ++k) {
    reading.push_back(seconds([&] { aclgrad::read_file(path); }));
    rereading.push_back(seconds([&] {
      std::ifstream(path, std::ios::binary)
          .read(content.data(), static_cast<std::streamsize>(content.size()));
    }));
    loading.push_back(seconds([&] { aclgrad::onnx::load(path); }));
  }
  const double read = aclgrad::bench::median(reading), reread = aclgrad::bench::median(rereading),
               load = aclgrad::bench::median(loading);
  fmt::print(
      "{:.0f} MB, medians of {}: load {:.1f} ms; read {:.1f} ms, load takes {:.2f} times as long; "
      "read into memory that is there {:.1f} ms, {:.2f} times\n",
      static_cast<double>(content.size()) / 1e6, rounds, load * 1e3, read * 1e3, load / read,
      reread * 1e3, load / reread);
  if (is_ours) std::filesystem::remove(path);
}
