// SPDX-License-Identifier: Apache-2.0
// Writing with a CachedModel: three blocks 96 wide.
//   bench_generation [ROUNDS]      (default: 5)
// Prints the time of a prompt of 100 tokens, and of a token behind a few and behind many, for
// models with room for more and more places: medians of milliseconds, planning left out.
#include <aclgrad/aclgrad.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <vector>

#include "bench/median.h"

namespace {

using namespace aclgrad;

constexpr std::int64_t kSigns = 64, kWidth = 96, kHeads = 4, kHidden = 256, kPrompt = 100;

double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

struct Writer : Module {
  Writer() {
    for (int i = 0; i < 3; ++i) {
      blocks.emplace_back(child("blocks." + std::to_string(i)), kWidth, kHeads, kHidden,
                          SelfAttentionOptions{.causal = true, .rotary = true});
    }
  }
  Value operator()(const Value& tokens, AttentionCache& cache) const {
    Value x = signs(tokens);
    for (const TransformerBlock& block : blocks) x = block(x, cache);
    return scores(x);
  }
  Embedding signs{child("signs"), kSigns, kWidth};
  std::deque<TransformerBlock> blocks;
  Linear scores{child("scores"), kWidth, kSigns};
};

// A text of so many tokens, with another first one for each version.
Tensor text(std::int64_t length, std::int64_t version) {
  Tensor tokens = Tensor::zeros({1, length}, DType::int64);
  for (std::int64_t i = 0; i < length; ++i) {
    tokens.set(i, static_cast<double>((i * i + (i == 0 ? version : 0)) % kSigns));
  }
  return tokens;
}

// Of one more token each time, behind so many; the first is planned for.
double of_a_token(CachedModel& model, std::int64_t behind, int rounds) {
  model(text(behind, 0));
  std::vector<double> times;
  for (int i = 1; i <= 3 * rounds + 1; ++i) {
    const Tensor longer = text(behind + i, 0);
    const double begin = milliseconds();
    model(longer);
    if (i > 1) times.push_back(milliseconds() - begin);
  }
  return bench::median(times);
}

double of_a_prompt(CachedModel& model, std::int64_t length, int rounds) {
  std::vector<double> times;
  for (int i = 0; i <= rounds; ++i) {
    const Tensor prompt = text(length, i + 1);
    const double begin = milliseconds();
    model(prompt);
    if (i > 0) times.push_back(milliseconds() - begin);
  }
  return bench::median(times);
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 5;
  const Writer writer;
  for (const std::int64_t places : {64, 256, 1024, 4096}) {
    CachedModel model(writer, places);
    const std::int64_t many = places - 3 * rounds - 2;
    const std::int64_t prompt = std::min(kPrompt, places);
    fmt::print("{:>4} places: prompt of {} {:.2f} ms, ", places, prompt,
               of_a_prompt(model, prompt, rounds));
    model.forget();
    fmt::print("token behind 8 {:.3f} ms, ", of_a_token(model, 8, rounds));
    fmt::print("behind {} {:.3f} ms\n", many, of_a_token(model, many, rounds));
  }
}
