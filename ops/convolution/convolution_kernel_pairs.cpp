// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_kernel_pairs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/engine/thread_scratch.h"

namespace aclgrad::ops {
namespace {

using Axes = ConvolutionShape::Axes;

constexpr int64_t kPackedPairs = 1 << 17;  // that stay in a second-level cache

constexpr int64_t round_up(int64_t value, int64_t whole) {
  return (value + whole - 1) / whole * whole;
}

// Memory that a thread keeps.
struct PairedScratch {
  GrowingMemory channels, pairs, gradients, packed, sums;
  std::vector<int64_t> offsets;
};

const uint16_t* bits(const Bfloat16* values) { return &values->bits; }

// How channels lie between zeros. Strides are 1.
struct PaddedChannels {
  Axes size;
  int64_t stride;  // from one channel to the next: an odd number of cache lines
  int64_t places;  // with what is between their lines, in whole steps of a product

  explicit PaddedChannels(const ConvolutionShape& s) {
    for (size_t axis = 0; axis < size.size(); ++axis) {
      size[axis] = s.out[axis] + (s.kernel[axis] - 1) * s.dilation[axis];
    }
    places = round_up(at({s.out[0] - 1, s.out[1] - 1, s.out[2]}), kPairBlock);
    // Behind the last tap's last place there is room for the rest of a step.
    stride = (ConvolutionShape::product(size) / kPairBlock | 1) * kPairBlock + 2 * kPairBlock;
  }

  int64_t at(const Axes& p) const { return (p[0] * size[1] + p[1]) * size[2] + p[2]; }
  int64_t tap(const ConvolutionShape& s, int64_t tap) const {
    return at({tap / s.kernel[2] / s.kernel[1] * s.dilation[0],
               tap / s.kernel[2] % s.kernel[1] * s.dilation[1], tap % s.kernel[2] * s.dilation[2]});
  }

  // `from` are lines of an array of this size.
  void copy(const uint16_t* from, const Axes& from_size, const Axes& padding, int64_t channels,
            int64_t to_stride, uint16_t* to) const {
    std::fill_n(to, channels * to_stride, uint16_t{0});
    Axes first, last;  // of `from`, what there is room for
    for (size_t axis = 0; axis < size.size(); ++axis) {
      first[axis] = std::max<int64_t>(0, -padding[axis]);
      last[axis] = std::min(from_size[axis], size[axis] - padding[axis]);
    }
    if (last[2] <= first[2]) return;
    for (int64_t channel = 0; channel < channels; ++channel, to += to_stride) {
      for (int64_t z = first[0]; z < last[0]; ++z) {
        for (int64_t y = first[1]; y < last[1]; ++y) {
          std::copy_n(
              from + ((channel * from_size[0] + z) * from_size[1] + y) * from_size[2] + first[2],
              last[2] - first[2], to + at({z + padding[0], y + padding[1], first[2] + padding[2]}));
        }
      }
    }
  }
};

// The adjoint as a convolution of y: taps lead the other way.
ConvolutionShape reversed(const ConvolutionShape& s) {
  ConvolutionShape reverse = s;
  std::swap(reverse.in_channels, reverse.out_channels);
  std::swap(reverse.in, reverse.out);
  for (size_t axis = 0; axis < s.in.size(); ++axis) {
    reverse.padding[axis] = (s.kernel[axis] - 1) * s.dilation[axis] - s.padding[axis];
  }
  return reverse;
}

int64_t pairs_of(const ConvolutionShape& s) { return paired_row(s.taps(), s.group_inputs()) / 2; }

// Places whose pairs are packed at once.
int64_t places_at_once(const ConvolutionShape& s) {
  return std::clamp<int64_t>(kPackedPairs / pairs_of(s) / kPairBlock * kPairBlock, 4 * kPairBlock,
                             16 * kPairBlock);
}

// Of one image.
class PairedConvolution {
 public:
  PairedConvolution(const ConvolutionShape& s, const uint16_t* x) : s_(s), padded_(s) {
    const int64_t inputs = s.group_inputs(), halves = (inputs + 1) / 2, stride = padded_.stride;
    auto* const channels = scratch_->channels.of<uint16_t>(2 * halves * stride);
    padded_.copy(x, s.in, s.padding, inputs, stride, channels);
    if (inputs % 2 != 0) std::fill_n(channels + inputs * stride, stride, uint16_t{0});
    pairs_ = scratch_->pairs.of<uint32_t>((halves + 1) * stride);
    for (int64_t i = 0; i < halves; ++i) {
      const uint16_t* const even = channels + 2 * i * stride;
      make_pairs(even, even + stride, stride, pairs_ + i * stride);
    }
    // Zeros for what rows of weights end with.
    std::fill_n(pairs_ + halves * stride, stride, 0U);
    scratch_->offsets.assign(static_cast<size_t>(pairs_of(s)), halves * stride);
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      for (int64_t i = 0; i < halves; ++i) {
        scratch_->offsets[static_cast<size_t>(tap * halves + i)] = padded_.tap(s, tap) + i * stride;
      }
    }
  }

  void run(const uint16_t* w, const Bfloat16* bias, int64_t begin, int64_t end, Bfloat16* y) {
    const MatrixView operand{0, ACL_BF16, 0, 0, {}}, out{0, ACL_BF16, s_.places(), 1, {}};
    MatmulProblem problem{
        {}, s_.group_outputs(), s_.places(), s_.terms(), operand, operand, out, {}, 1, 1, ACL_BF16};
    if (bias != nullptr) problem.addend = MatrixView{1, ACL_BF16, 1, 0, {}};
    void* const addresses[] = {y, const_cast<Bfloat16*>(bias)};
    const Run run(addresses, nullptr);
    const ProductPart part{problem, run, 0, {}, {}, 0, problem.m, 0, problem.n};
    const PairMultiplier multiply;
    const int64_t pairs = pairs_of(s_), most = places_at_once(s_);
    for (int64_t place = begin * most; place < std::min(end * most, padded_.places);
         place += most) {
      const int64_t columns = std::min(most, padded_.places - place);
      auto* const packed = scratch_->packed.of<uint32_t>(pairs * columns);
      auto* const sums = scratch_->sums.of<float>(kPairBlock * columns);
      gather_pairs(pairs_ + place, scratch_->offsets.data(), pairs, columns, packed);
      for (int64_t row = 0; row < problem.m; row += kPairBlock) {
        multiply({w + row * 2 * pairs, 2 * pairs, packed, pairs, sums, columns, false}, columns);
        finish(part, row, place, columns, sums, bias == nullptr ? &y->bits : nullptr);
      }
    }
  }

 private:
  // Lines of places, without what is between them. Where nothing is added to the sums, they are
  // rounded into y.
  void finish(const ProductPart& part, int64_t row, int64_t place, int64_t columns,
              const float* sums, uint16_t* y) const {
    const int64_t rows = std::min(kPairBlock, part.rows - row);
    for (int64_t line = 0; line < s_.out[0] * s_.out[1]; ++line) {
      const int64_t start = padded_.at({line / s_.out[1], line % s_.out[1], 0});
      const int64_t first = std::max(start, place);
      const int64_t last = std::min(start + s_.out[2], place + columns);
      if (first >= last) continue;
      const int64_t column = line * s_.out[2] + first - start;
      const float* const from = sums + first - place;
      if (y == nullptr) {
        finish_sums(part, row, rows, column, last - first, from, columns);
      } else {
        round_sums(from, columns, rows, last - first, y + row * s_.places() + column, s_.places());
      }
    }
  }

  const ConvolutionShape& s_;
  const PaddedChannels padded_;
  const ThreadScratch<PairedScratch> scratch_;
  uint32_t* pairs_;
};

void convolve_blocks(const ConvolutionShape& s, const Bfloat16* x, const Bfloat16* w,
                     const Bfloat16* bias, int64_t begin, int64_t end, Bfloat16* y) {
  PairedConvolution(s, bits(x)).run(bits(w), bias, begin, end, y);
}

void convolve_blocks_adjoint(const ConvolutionShape& s, const Bfloat16* y, const Bfloat16* w,
                             const Bfloat16* bias, int64_t begin, int64_t end, Bfloat16* x) {
  convolve_blocks(reversed(s), y, w, bias, begin, end, x);
}

// The gradient of some inputs' weights. Places are the terms of products whose columns are outputs
// and whose rows are inputs under a tap, or the taps of a line of the kernel where those are more.
class PairedGradient {
 public:
  PairedGradient(const ConvolutionShape& s, int64_t begin, int64_t end, double* sums)
      : s_(s),
        padded_(s),
        by_taps_(s.kernel[2] > end - begin),
        begin_(begin),
        inputs_(end - begin),
        outputs_(round_up(s.group_outputs(), kPairBlock)),
        rows_(round_up(by_taps_ ? s.kernel[2] : inputs_, kPairBlock)),
        groups_(by_taps_ ? inputs_ * s.taps() / s.kernel[2] : s.taps()),
        sums_(sums) {
    // A block may have rows that nobody asked for: other places' elements, or other channels'.
    const int64_t channels = round_up(inputs_, kPairBlock) * padded_.stride;
    channels_ = scratch_->channels.of<uint16_t>(channels + kPairBlock * s.dilation[2]);
    gradients_ = scratch_->gradients.of<uint16_t>(s.group_outputs() * padded_.places);
    packed_ = scratch_->packed.of<uint32_t>(outputs_ * kMostTerms / 2);
    products_ = scratch_->sums.of<float>(groups_ * rows_ * outputs_);
    each_weight([&](int64_t weight, int64_t) { sums_[weight] = 0; });
  }

  void add(const Bfloat16* x, const Bfloat16* y) {
    padded_.copy(bits(x) + begin_ * s_.pixels(), s_.in, s_.padding, inputs_, padded_.stride,
                 channels_);
    padded_.copy(bits(y), s_.out, {}, s_.group_outputs(), padded_.places, gradients_);
    for (int64_t place = 0; place < padded_.places; place += kMostTerms) {
      const int64_t terms = std::min(kMostTerms, padded_.places - place);
      if (pending_ + terms > kMostTerms) flush();
      pack_pairs(gradients_ + place, padded_.places, 1, s_.group_outputs(), terms, packed_);
      multiply(place, terms);
      pending_ += terms;
    }
  }

  void flush() {
    if (pending_ == 0) return;
    each_weight([&](int64_t weight, int64_t product) {
      sums_[weight] += static_cast<double>(products_[product]);
    });
    pending_ = 0;
  }

 private:
  static constexpr int64_t kMostTerms = 1 << 11;  // that are added in float; such sums in double

  void multiply(int64_t place, int64_t terms) const {
    const PairMultiplier multiply;
    const int64_t line = s_.kernel[2], lines = s_.taps() / line;
    for (int64_t group = 0; group < groups_; ++group) {
      const int64_t tap = by_taps_ ? group % lines * line : group;
      const int64_t input = by_taps_ ? group / lines : 0;
      const uint16_t* const a = channels_ + input * padded_.stride + padded_.tap(s_, tap) + place;
      const int64_t a_row = by_taps_ ? s_.dilation[2] : padded_.stride;
      float* const to = products_ + group * rows_ * outputs_;
      for (int64_t row = 0; row < rows_; row += kPairBlock) {
        multiply({a + row * a_row, a_row, packed_, terms / 2, to + row * outputs_, outputs_,
                  pending_ > 0},
                 outputs_);
      }
    }
  }

  // Calls body(place in the sums, place in the products).
  template <class Body>
  void each_weight(const Body& body) const {
    const int64_t row = 2 * pairs_of(s_), inputs = 2 * ((s_.group_inputs() + 1) / 2);
    const int64_t line = s_.kernel[2];
    for (int64_t output = 0; output < s_.group_outputs(); ++output) {
      for (int64_t tap = 0; tap < s_.taps(); ++tap) {
        for (int64_t input = 0; input < inputs_; ++input) {
          const int64_t product =
              by_taps_ ? (input * (s_.taps() / line) + tap / line) * rows_ + tap % line
                       : tap * rows_ + input;
          body(output * row + tap * inputs + begin_ + input, product * outputs_ + output);
        }
      }
    }
  }

  const ConvolutionShape& s_;
  const PaddedChannels padded_;
  const ThreadScratch<PairedScratch> scratch_;
  const bool by_taps_;
  const int64_t begin_, inputs_, outputs_;
  const int64_t rows_, groups_;  // of the products
  double* const sums_;
  uint16_t* channels_;
  uint16_t* gradients_;  // as places lie, zeros between the lines
  uint32_t* packed_;
  float* products_;
  int64_t pending_ = 0;  // terms in the products
};

void sum_weight_gradient(const ConvolutionShape& s, const Bfloat16* x, const Bfloat16* y,
                         int64_t images, int64_t begin, int64_t end, double* sums) {
  PairedGradient gradient(s, begin, end, sums);
  for (int64_t image = 0; image < images; ++image) {
    gradient.add(x + image * s.in_channels * s.pixels(), y + image * s.out_channels * s.places());
  }
  gradient.flush();
}

int64_t blocks_of(const ConvolutionShape& s) {
  return (PaddedChannels(s).places + places_at_once(s) - 1) / places_at_once(s);
}

}  // namespace

bool convolves_in_pairs(const ConvolutionShape& s) {
  const MatrixView any{0, ACL_BF16, 0, 0, {}};
  MatmulProblem product{{},
                        s.out_channels,
                        saturating_product({s.images, s.places()}),
                        s.terms(),
                        any,
                        any,
                        any,
                        {},
                        1,
                        0,
                        ACL_BF16};
  product.may_add_pairs = aclgradIsDeterministic() == 0;
  return s.stride == Axes{1, 1, 1} && !s.is_depthwise() && multiplies_in_pairs(product);
}

int64_t paired_place_blocks(const ConvolutionShape& s) { return blocks_of(s); }
int64_t paired_pixel_blocks(const ConvolutionShape& s) { return blocks_of(reversed(s)); }

template <>
const GroupConvolution<Bfloat16>& group_convolution() {
  static constexpr GroupConvolution<Bfloat16> kAll{convolve_blocks, convolve_blocks_adjoint,
                                                   sum_weight_gradient};
  return kAll;
}

}  // namespace aclgrad::ops
