// SPDX-License-Identifier: Apache-2.0
// Wrong backwards of convolution and pooling.
#include <array>

#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::variants;
using Pair = std::array<int, 2>;  // of height and width

bool within(int i, int extent) { return i >= 0 && i < extent; }

// ---- Convolution --------------------------------------------------------------------------------

// The first sample of the contract: groups, a stride, padding and dilation that differ by axis.
constexpr int kImages = 2, kGroups = 2, kOutputs = 4, kInputs = 4, kOfGroup = 2;
constexpr Pair kImage = {5, 4}, kResult = {3, 2}, kKernel = {3, 2};

// Inputs: g, x, weight. Results: gradients of x, weight, bias.
Kernels convolution(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    Pair stride = {2, 1}, padding = {1, 0}, dilation = {1, 2};
    if (is("stride and dilation exchanged")) std::swap(stride, dilation);
    if (is("stride of the other axis")) std::swap(stride[0], stride[1]);
    if (is("padding forgotten")) padding = {0, 0};
    if (is("padding of the other axis")) std::swap(padding[0], padding[1]);
    if (is("dilation forgotten")) dilation = {1, 1};
    Values out = {std::vector<double>(in[1].size()), std::vector<double>(in[2].size()),
                  std::vector<double>(kOutputs)};
    const auto at_place = [](Pair extent, int image, int channels, int channel, int h, int w) {
      return static_cast<std::size_t>(((image * channels + channel) * extent[0] + h) * extent[1] +
                                      w);
    };
    for (int image = 0; image < kImages; ++image) {
      for (int to = 0; to < kOutputs; ++to) {
        for (int h = 0; h < kResult[0]; ++h) {
          for (int w = 0; w < kResult[1] - (is("last column skipped") ? 1 : 0); ++w) {
            const double g = in[0][at_place(kResult, image, kOutputs, to, h, w)];
            if (!is("bias of the first image only") || image == 0) {
              out[2][static_cast<std::size_t>(to)] += g;
            }
            for (int tap = 0; tap < kOfGroup * kKernel[0] * kKernel[1]; ++tap) {
              const int inner = tap / kKernel[0] / kKernel[1];
              const int kh = tap / kKernel[1] % kKernel[0], kw = tap % kKernel[1];
              const int group = is("groups mixed") ? to % kGroups : to / (kOutputs / kGroups);
              const int y = h * stride[0] - padding[0] + kh * dilation[0];
              const int x = w * stride[1] - padding[1] + kw * dilation[1];
              if (!within(y, kImage[0]) || !within(x, kImage[1])) continue;
              if (is("first row skipped") && y == 0) continue;
              const std::size_t from =
                  at_place(kImage, image, kInputs, group * kOfGroup + inner, y, x);
              const int row = is("kernel flipped") ? kKernel[0] - 1 - kh : kh;
              const std::size_t by = at_place(kKernel, to, kOfGroup, inner, row, kw);
              out[0][from] += g * in[2][by];
              if (is("weight's gradient of the first image only") && image > 0) continue;
              double& sum = out[1][by];
              sum = (is("weight's gradient overwritten") ? 0 : sum) + g * in[1][from];
            }
          }
        }
      }
    }
    if (is("bias dropped")) out[2].assign(kOutputs, 0);
    return out;
  };
}

// ---- Pooling ------------------------------------------------------------------------------------

constexpr Pair kPoolImage = {4, 6}, kPooled = {3, 4}, kWindow = {2, 3};
constexpr int kPlanes = 4;

std::size_t place(Pair extent, int plane, int h, int w) {
  return static_cast<std::size_t>((plane * extent[0] + h) * extent[1] + w);
}

struct Averages {
  bool with_padding;
  double divisor;  // 0: the elements
};

// Inputs: g, x, of which only the shape counts. A stride of [2, 1], a padding of [1, 0].
Kernels average_pool(Averages averages, const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    const Pair window = is("window of the other axis") ? Pair{kWindow[1], kWindow[0]} : kWindow;
    const bool padded = averages.with_padding != is("padding counted the other way");
    std::vector<double> out(in[1].size());
    for (int plane = 0; plane < kPlanes; ++plane) {
      for (int h = 0; h < kPooled[0]; ++h) {
        for (int w = 0; w < kPooled[1] - (is("last window skipped") ? 1 : 0); ++w) {
          int elements = 0;
          const auto visit = [&](const auto& use) {
            for (int k = 0; k < window[0] * window[1]; ++k) {
              const int y = 2 * h - 1 + k / window[1], x = w + k % window[1];
              if (within(y, kPoolImage[0]) && within(x, kPoolImage[1])) use(y, x);
            }
          };
          visit([&](int, int) { ++elements; });
          double divisor = padded ? window[0] * window[1] : elements;
          if (averages.divisor != 0 && !is("divisor ignored")) divisor = averages.divisor;
          if (is("divided by the height")) divisor = window[0];
          if (is("not divided")) divisor = 1;
          visit([&](int y, int x) {
            double& sum = out[place(kPoolImage, plane, y, x)];
            sum = (is("overlaps overwritten") ? 0 : sum) +
                  in[0][place(kPooled, plane, h, w)] / divisor;
          });
        }
      }
    }
    return {out};
  };
}

// Inputs: g, x. Windows that share elements: of 4 rows for 3, of 6 columns for 4.
Kernels adaptive_pool(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out(in[1].size());
    const auto begin = [](int i, std::size_t axis) { return i * kPoolImage[axis] / kPooled[axis]; };
    const auto end = [&](int i, std::size_t axis) {
      const int up = is("ends rounded down") ? 0 : kPooled[axis] - 1;
      return ((i + 1) * kPoolImage[axis] + up) / kPooled[axis];
    };
    for (int i = 0; i < kPlanes * kPooled[0] * kPooled[1]; ++i) {
      const int plane = i / kPooled[1] / kPooled[0], h = i / kPooled[1] % kPooled[0];
      const int w = i % kPooled[1];
      for (int y = begin(h, 0); y < end(h, 0); ++y) {
        for (int x = begin(w, 1); x < end(w, 1); ++x) {
          double count = (end(h, 0) - begin(h, 0)) * (end(w, 1) - begin(w, 1));
          if (is("divided by the ratio of the sizes")) count = 1.5 * 4 / 3;
          double& sum = out[place(kPoolImage, plane, y, x)];
          const double share = in[0][static_cast<std::size_t>(i)] / count;
          sum = (is("overlaps overwritten") ? 0 : sum) + share;
        }
      }
    }
    return {out};
  };
}

// The place of the largest element of each window, as the forward gives it.
std::vector<double> maxima(const std::vector<double>& x, bool last_of_equals) {
  std::vector<double> places;
  for (int plane = 0; plane < kPlanes; ++plane) {
    for (int i = 0; i < kPooled[0] * kPooled[1]; ++i) {
      int best = -1;
      for (int k = 0; k < kWindow[0] * kWindow[1]; ++k) {
        const int y = 2 * (i / kPooled[1]) - 1 + k / kWindow[1];
        const int at = y * kPoolImage[1] + i % kPooled[1] + k % kWindow[1];
        if (!within(y, kPoolImage[0])) continue;
        const auto value = [&](int to) {
          return x[place(kPoolImage, plane, 0, 0) + static_cast<std::size_t>(to)];
        };
        const bool more =
            best < 0 || value(at) > value(best) || (last_of_equals && value(at) == value(best));
        if (more) best = at;
      }
      places.push_back(best);
    }
  }
  return places;
}

// Inputs: g, x, places of the maxima in their planes.
Kernels max_pool(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out(in[1].size());
    std::vector<double> places = in[2];
    if (is("places recomputed")) places = maxima(in[1], false);
    if (is("places recomputed, the last of equals")) places = maxima(in[1], true);
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      const int plane = is("planes forgotten") ? 0 : static_cast<int>(i) / kPooled[0] / kPooled[1];
      int at = static_cast<int>(places[i]);
      if (is("one place too far")) at = (at + 1) % (kPoolImage[0] * kPoolImage[1]);
      Pair to = {at / kPoolImage[1], at % kPoolImage[1]};
      if (is("counted along columns")) to = {at % kPoolImage[0], at / kPoolImage[0]};
      double& sum = out[place(kPoolImage, plane, to[0], to[1])];
      sum = (is("overlaps overwritten") ? 0 : sum) + in[0][i];
    }
    if (is("shared by the window")) {
      for (double& value : out) value /= kWindow[0] * kWindow[1];
    }
    return {out};
  };
}

}  // namespace

std::vector<Mutant> image_mutants() {
  std::vector<Mutant> all;
  add_mutants(all, "convolution", "convolution", variants("convolution")[0], convolution,
              {"stride and dilation exchanged", "stride of the other axis", "padding forgotten",
               "padding of the other axis", "dilation forgotten", "last column skipped",
               "first row skipped", "groups mixed", "kernel flipped", "bias dropped",
               "bias of the first image only", "weight's gradient of the first image only",
               "weight's gradient overwritten"});
  const auto pool = [](bool with_padding, double divisor) {
    return [=](const Edits& edits) { return average_pool({with_padding, divisor}, edits); };
  };
  const std::vector<gradcheck::Attributes> averages = variants("avg_pool2d");
  add_mutants(all, "average pooling", "avg_pool2d", averages[0], pool(false, 0),
              {"padding counted the other way", "window of the other axis", "last window skipped",
               "divided by the height", "not divided", "overlaps overwritten"});
  add_mutants(all, "average pooling, padding counted", "avg_pool2d", averages[1], pool(true, 0),
              {"padding counted the other way"});
  add_mutants(all, "average pooling, divisor", "avg_pool2d", averages[4], pool(false, -3),
              {"divisor ignored"});
  add_mutants(all, "adaptive pooling", "adaptive_avg_pool2d", variants("adaptive_avg_pool2d")[0],
              adaptive_pool,
              {"ends rounded down", "divided by the ratio of the sizes", "overlaps overwritten"});
  add_mutants(all, "max pooling", "max_pool2d", variants("max_pool2d")[0], max_pool,
              {"places recomputed", "places recomputed, the last of equals", "planes forgotten",
               "one place too far", "counted along columns", "overlaps overwritten",
               "shared by the window"});
  return all;
}

}  // namespace aclgrad::mutants
