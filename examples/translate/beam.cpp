// SPDX-License-Identifier: Apache-2.0
#include "examples/translate/beam.h"

#include <algorithm>
#include <limits>
#include <vector>

using namespace aclgrad;

namespace translate {
namespace {

struct Candidate {
  double score;
  std::size_t beam;
  std::int64_t digit;
};

}  // namespace

Tensor beam_search(const Translator& model, const Tensor& sources, const BeamOptions& options) {
  const std::int64_t n = sources.shape()[0], beams = options.beams, length = options.length;
  const Tensor memories =
      predict([&](const Value& source) { return model.encode(source); }, sources);
  // A row for each beam of each source. Places that are not written yet are not seen: the decoder
  // is causal.
  std::vector<std::int64_t> sources_of_rows;
  for (std::int64_t row = 0; row < n * beams; ++row) sources_of_rows.push_back(row / beams);
  data::Dataset rows{.parts = {{"memory", data::take_rows(memories, sources_of_rows)},
                               {"source", data::take_rows(sources, sources_of_rows)},
                               {"begun", Tensor::full({n * beams, length}, 0, DType::int64)}}};
  Predictor decoder([&](const BatchValues& batch) {
    return log_softmax(model.decode(batch["memory"], batch["source"], batch["begun"]));
  });
  Tensor& begun = rows.parts.back().second;
  for (std::int64_t row = 0; row < n * beams; ++row)
    begun.set(row * length, static_cast<double>(options.begin));

  const auto width = static_cast<std::size_t>(beams);
  const auto places = static_cast<std::size_t>(length);
  std::vector<std::int64_t> written(static_cast<std::size_t>(n * beams * length));
  // All beams of a source begin alike: one of them counts.
  std::vector<double> scores(static_cast<std::size_t>(n * beams),
                             -std::numeric_limits<double>::infinity());
  for (std::size_t row = 0; row < scores.size(); row += width) scores[row] = 0;
  for (std::size_t place = 0; place < places; ++place) {
    const Tensor likely = decoder(rows);  // [n beams, length, digits]
    const auto digits = static_cast<std::size_t>(likely.shape()[2]);
    const std::span<const float> logarithms = likely.data<float>();
    for (std::size_t first = 0; first < scores.size(); first += width) {
      std::vector<Candidate> candidates;
      for (std::size_t beam = first; beam < first + width; ++beam) {
        for (std::size_t digit = 0; digit < digits; ++digit) {
          candidates.push_back({scores[beam] + logarithms[(beam * places + place) * digits + digit],
                                beam, static_cast<std::int64_t>(digit)});
        }
      }
      std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::score);
      const std::vector<std::int64_t> before(written.begin() + first * places,
                                             written.begin() + (first + width) * places);
      for (std::size_t beam = 0; beam < width; ++beam) {
        const Candidate& best = candidates[beam];
        const auto target = written.begin() + (first + beam) * places;
        std::copy_n(before.begin() + (best.beam - first) * places, place, target);
        target[place] = best.digit;
        scores[first + beam] = best.score;
      }
    }
    for (std::size_t row = 0; row < scores.size(); ++row) {
      for (std::size_t i = 0; i + 1 < places && i <= place; ++i) {
        begun.data<std::int64_t>()[row * places + i + 1] = written[row * places + i];
      }
    }
  }
  Tensor best = Tensor::zeros({n, length}, DType::int64);
  for (std::int64_t source = 0; source < n; ++source) {
    std::copy_n(written.begin() + source * beams * length, length,
                best.data<std::int64_t>().begin() + source * length);
  }
  return best;
}

double percent_right(const Tensor& written, const Tensor& targets) {
  std::int64_t right = 0;
  const std::int64_t n = targets.shape()[0];
  for (std::int64_t row = 0; row < n; ++row) {
    right += bitwise_equal(written.slice(0, row, row + 1), targets.slice(0, row, row + 1));
  }
  return 100 * static_cast<double>(right) / static_cast<double>(n);
}

}  // namespace translate
