// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_kernel.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>

#include "aclgrad_ext.h"
#include "ops/convolution/convolution_kernel_channels.h"
#include "ops/convolution/convolution_kernel_pairs.h"
#include "ops/convolution/convolution_kernel_tiles.h"
#include "ops/engine/sums.h"

namespace aclgrad::ops {
namespace {

// Multiplications that are worth a thread.
constexpr int64_t kMinPerThread = 1 << 18;
// Tasks that keep all threads busy, and inputs of a group whose weights are worth one.
constexpr int64_t kEnoughTasks = 16;
constexpr int64_t kTaskInputs = 32;
// Places of a line that are enough for tiles.
constexpr int64_t kLongLine = 56;

template <class T>
inline constexpr bool kInPairs = std::is_same_v<T, Bfloat16>;
template <class T>
inline constexpr aclDataType kDtype = kInPairs<T>                 ? ACL_BF16
                                      : std::is_same_v<T, double> ? ACL_DOUBLE
                                                                  : ACL_FLOAT;

// The convolution with longer lines where it is pointwise (1 x 1 kernel, stride 1, no padding):
// neighbouring lines are joined.
ConvolutionShape with_long_lines(const ConvolutionShape& s) {
  const bool is_pointwise = s.taps() == 1 && s.in == s.out &&
                            s.padding == ConvolutionShape::Axes{} &&
                            s.stride == ConvolutionShape::Axes{1, 1, 1};
  ConvolutionShape joined = s;
  const int64_t lines = s.in[0] * s.in[1];
  if (!is_pointwise || s.places() == 0) return joined;
  int64_t together = std::min(lines, (kLongLine + s.in[2] - 1) / s.in[2]);
  while (lines % together != 0) ++together;
  joined.in = joined.out = {1, lines / together, s.in[2] * together};
  return joined;
}

// Parts of the blocks of an image for tasks that are too few otherwise.
int64_t parts_of(int64_t blocks, int64_t tasks) {
  const int64_t wanted = (aclgradGetNumThreads() + tasks - 1) / std::max<int64_t>(tasks, 1);
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(blocks, 1));
}

// Runs body(task) for all of them; the product of `factors` is the number of multiplications of
// all.
template <class Body>
void run_tasks(int64_t tasks, std::initializer_list<int64_t> factors, const Body& body) {
  if (tasks == 0) return;
  const int64_t work = saturating_product(factors) / tasks;
  const int64_t grain = std::max<int64_t>(1, kMinPerThread / std::max<int64_t>(work, 1));
  parallel_pieces(tasks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) body(task);
  });
}

// Weights in panels (convolution_kernel_tiles.h), or in rows of pairs: which channels are side by
// side in them, how many there are, and how far apart they are in the weights; likewise for the
// terms.
struct Panels {
  int64_t channels, channel_stride, terms, term_stride, taps;
  bool reverses;  // the taps

  static Panels of_outputs(const ConvolutionShape& s) {
    return {s.group_outputs(), s.terms(), s.group_inputs(), s.taps(), s.taps(), false};
  }
  static Panels of_inputs(const ConvolutionShape& s, bool reverses) {
    return {s.group_inputs(), s.taps(), s.group_outputs(), s.terms(), s.taps(), reverses};
  }

  template <class T>
  int64_t row() const {  // elements for a channel
    return kInPairs<T> ? paired_row(taps, terms) : taps * terms;
  }
  template <class T>
  int64_t elements() const {  // of a group
    return saturating_product({padded_channels<T>(channels), row<T>()});
  }
  // Calls body(place in the panels, place in the weights) for a term and a panel's channels.
  template <class T, class Body>
  void each(int64_t panel, int64_t term, const Body& body) const {
    const int64_t first = panel * kPanel<T>, step = kInPairs<T> ? row<T>() : 1;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t place = reverses ? taps - 1 - tap : tap;
      const int64_t at = first * row<T>() + (kInPairs<T> ? place * (terms + terms % 2) + term
                                                         : (place * terms + term) * kPanel<T>);
      for (int64_t j = 0; j < std::min(kPanel<T>, channels - first); ++j) {
        body(at + j * step, (first + j) * channel_stride + term * term_stride + tap);
      }
    }
  }
};

// For every group and panel, body(group, panel).
template <class T, class Body>
void each_panel(const ConvolutionShape& s, const Panels& panels, const Body& body) {
  const int64_t count = padded_channels<T>(panels.channels) / kPanel<T>;
  run_tasks(s.groups * count, {s.out_channels, s.terms()},
            [&](int64_t task) { body(task / count, task % count); });
}

template <class T>
void pack(const ConvolutionShape& s, const Panels& panels, const T* w, T* to) {
  const int64_t weights = s.group_outputs() * s.terms(), elements = panels.elements<T>();
  each_panel<T>(s, panels, [&](int64_t group, int64_t panel) {
    const int64_t size = panels.row<T>() * kPanel<T>;
    T* const packed = to + group * elements;
    std::fill_n(packed + panel * size, size, T{0});
    for (int64_t term = 0; term < panels.terms; ++term) {
      panels.each<T>(panel, term,
                     [&](int64_t i, int64_t j) { packed[i] = w[group * weights + j]; });
    }
  });
}

// One side of a convolution: an array of images, its channels in all and in a group, and elements
// of a channel.
template <class T>
struct Side {
  T* data;
  int64_t channels, in_group, elements;

  T* group(int64_t image, int64_t group) const {
    return data + (image * channels + group * in_group) * elements;
  }
};

// to = the convolution of `from`, or its adjoint, by a function for a channel or, in blocks of each
// image, one for a group.
template <class T>
struct Direction {
  decltype(ChannelConvolution<T>::forward) ChannelConvolution<T>::*channel;
  decltype(GroupConvolution<T>::forward) GroupConvolution<T>::*group;
  Panels panels;
  int64_t blocks;
};

template <class T>
void run(const ConvolutionShape& s, const Direction<T>& direction, Side<const T> from, const T* w,
         const T* bias, T* packed, Side<T> to) {
  const int64_t images = s.images * s.groups;
  const auto factors = {s.images, s.out_channels, s.terms(), s.places()};
  if constexpr (!kInPairs<T>) {
    if (s.is_depthwise()) {
      const ChannelPlanes planes(s);
      const auto convolve_channel = channel_convolution<T>().*direction.channel;
      return run_tasks(images, factors, [&](int64_t task) {
        const int64_t image = task / s.groups, channel = task % s.groups;
        convolve_channel(planes, from.group(image, channel), w + channel * s.terms(),
                         bias == nullptr ? T{0} : bias[channel], to.group(image, channel));
      });
    }
  }
  pack(s, direction.panels, w, packed);
  const int64_t elements = direction.panels.template elements<T>();
  const int64_t parts = parts_of(direction.blocks, images);
  const auto convolve_group = group_convolution<T>().*direction.group;
  run_tasks(images * parts, factors, [&](int64_t task) {
    const int64_t image = task / parts / s.groups, group = task / parts % s.groups;
    const int64_t part = task % parts;
    convolve_group(s, from.group(image, group), packed + group * elements,
                   bias == nullptr ? bias : bias + group * to.in_group,
                   direction.blocks * part / parts, direction.blocks * (part + 1) / parts,
                   to.group(image, group));
  });
}

}  // namespace

template <class T>
int64_t packed_weights(const ConvolutionShape& s) {
  if (s.is_depthwise()) return 0;
  return saturating_product({s.groups, std::max(Panels::of_outputs(s).elements<T>(),
                                                Panels::of_inputs(s, false).elements<T>())});
}

template <class T>
void convolve(const ConvolutionShape& shape, const T* x, const T* w, const T* bias, T* packed,
              T* y) {
  const ConvolutionShape s = with_long_lines(shape);
  run<T>(s,
         {&ChannelConvolution<T>::forward, &GroupConvolution<T>::forward, Panels::of_outputs(s),
          kInPairs<T> ? paired_place_blocks(s) : place_blocks(s)},
         {x, s.in_channels, s.group_inputs(), s.pixels()}, w, bias, packed,
         {y, s.out_channels, s.group_outputs(), s.places()});
}

namespace {

// With strides of 1 the adjoint is a convolution too: of y between zeros, with its taps reversed.
// Only where it multiplies few of those zeros.
std::optional<ConvolutionShape> adjoint_of(const ConvolutionShape& s) {
  if (s.pixels() > s.places() / 4 * 5) return std::nullopt;
  ConvolutionShape adjoint = s;
  std::swap(adjoint.in_channels, adjoint.out_channels);
  std::swap(adjoint.in, adjoint.out);
  for (size_t i = 0; i < 3; ++i) {
    adjoint.padding[i] = (s.kernel[i] - 1) * s.dilation[i] - s.padding[i];
    if (s.stride[i] != 1 || adjoint.padding[i] < 0) return std::nullopt;
  }
  return adjoint;
}

// Whether zeros around an image add nothing.
template <class T>
bool all_finite(const T* w, int64_t count) {
  constexpr int64_t kLanes = 16;
  T zeros[kLanes] = {};  // an infinity or a NaN minus itself is none
  for (int64_t i = 0; i + kLanes <= count; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) zeros[k] += w[i + k] - w[i + k];
  }
  for (int64_t i = count - count % kLanes; i < count; ++i) zeros[0] += w[i] - w[i];
  return std::all_of(zeros, zeros + kLanes, [](T zero) { return zero == 0; });
}

}  // namespace

template <class T>
void convolve_adjoint(const ConvolutionShape& shape, const T* y, const T* w, const T* bias,
                      T* packed, T* x) {
  const ConvolutionShape s = with_long_lines(shape);
  if constexpr (!kInPairs<T>) {
    const std::optional<ConvolutionShape> adjoint = adjoint_of(s);
    if (adjoint && !s.is_depthwise() && all_finite(w, s.out_channels * s.terms())) {
      return run<T>(*adjoint,
                    {&ChannelConvolution<T>::forward, &GroupConvolution<T>::forward,
                     Panels::of_inputs(s, true), place_blocks(*adjoint)},
                    {y, s.out_channels, s.group_outputs(), s.places()}, w, bias, packed,
                    {x, s.in_channels, s.group_inputs(), s.pixels()});
    }
  }
  run<T>(
      s,
      {&ChannelConvolution<T>::adjoint, &GroupConvolution<T>::adjoint,
       Panels::of_inputs(s, kInPairs<T>), kInPairs<T> ? paired_pixel_blocks(s) : pixel_blocks(s)},
      {y, s.out_channels, s.group_outputs(), s.places()}, w, bias, packed,
      {x, s.in_channels, s.group_inputs(), s.pixels()});
}

namespace {

void add_to(double* to, const double* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

// Parts of a group's inputs, and of the images; they follow from the shape, as the sums do.
int64_t input_parts(const ConvolutionShape& s) {
  return std::max<int64_t>(1, s.group_inputs() / kTaskInputs);
}
int64_t weight_slices(const ConvolutionShape& s) {
  return std::clamp<int64_t>(kEnoughTasks / (s.groups * input_parts(s)), 1,
                             std::max<int64_t>(s.images, 1));
}

}  // namespace

template <class T>
int64_t weight_sums(const ConvolutionShape& s) {
  if (s.is_depthwise()) return 0;
  return saturating_product({weight_slices(s), s.groups, Panels::of_outputs(s).elements<T>()});
}

template <class T>
void convolve_weight_gradient(const ConvolutionShape& shape, const T* x, const T* y, double* sums,
                              T* w) {
  const ConvolutionShape s = with_long_lines(shape);
  if constexpr (!kInPairs<T>) {
    if (s.is_depthwise()) {
      const ChannelPlanes planes(s);
      return run_tasks(s.groups, {s.images, s.groups, s.terms(), s.places()}, [&](int64_t channel) {
        channel_convolution<T>().weight_gradient(planes, channel, x, y, w + channel * s.terms());
      });
    }
  }
  const Panels panels = Panels::of_outputs(s);
  const int64_t elements = panels.elements<T>();
  const int64_t slices = weight_slices(s), parts = input_parts(s), inputs = s.group_inputs();
  run_tasks(slices * s.groups * parts, {s.images, s.out_channels, s.terms(), s.places()},
            [&](int64_t task) {
              const int64_t part = task % parts, group = task / parts % s.groups;
              const int64_t slice = task / parts / s.groups;
              const int64_t first = s.images * slice / slices;
              group_convolution<T>().weight_gradient(
                  s, x + (first * s.in_channels + group * inputs) * s.pixels(),
                  y + (first * s.out_channels + group * s.group_outputs()) * s.places(),
                  s.images * (slice + 1) / slices - first, inputs * part / parts,
                  inputs * (part + 1) / parts, sums + (slice * s.groups + group) * elements);
            });
  each_panel<T>(s, panels, [&](int64_t group, int64_t panel) {
    const int64_t size = panels.row<T>() * kPanel<T>;
    double* const all = sums + group * elements;
    for (int64_t slice = 1; slice < slices; ++slice) {
      add_to(all + panel * size, all + slice * s.groups * elements + panel * size, size);
    }
    for (int64_t term = 0; term < panels.terms; ++term) {
      panels.each<T>(panel, term, [&](int64_t i, int64_t j) {
        w[group * s.group_outputs() * s.terms() + j] = from_parts<T>(all[i], 0);
      });
    }
  });
}

template <class T>
void sum_channels(int64_t images, int64_t channels, int64_t places, const T* values, T* sums) {
  run_tasks(channels, {images, channels, places}, [&](int64_t channel) {
    double sum = 0;
    for (int64_t image = 0; image < images; ++image) {
      RealSum line;
      line.add(values + (image * channels + channel) * places, kDtype<T>,
               static_cast<size_t>(places));
      sum += line.total();
    }
    sums[channel] = from_parts<T>(sum, 0);
  });
}

#define ACLGRAD_CONVOLUTION(T)                                                                   \
  template int64_t packed_weights<T>(const ConvolutionShape&);                                   \
  template int64_t weight_sums<T>(const ConvolutionShape&);                                      \
  template void convolve(const ConvolutionShape&, const T*, const T*, const T*, T*, T*);         \
  template void convolve_adjoint(const ConvolutionShape&, const T*, const T*, const T*, T*, T*); \
  template void convolve_weight_gradient(const ConvolutionShape&, const T*, const T*, double*,   \
                                         T*);                                                    \
  template void sum_channels(int64_t, int64_t, int64_t, const T*, T*);
ACLGRAD_CONVOLUTION(float)
ACLGRAD_CONVOLUTION(double)
ACLGRAD_CONVOLUTION(Bfloat16)
#undef ACLGRAD_CONVOLUTION

}  // namespace aclgrad::ops
