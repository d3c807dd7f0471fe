// SPDX-License-Identifier: Apache-2.0
#include "bench/train/products.h"

#include "bench/resnet.h"
#include "examples/convolution/model.h"
#include "examples/mobilenet/model.h"

namespace aclgrad::bench {
namespace {

Products perceptron(const Workload& workload) {
  Products all;
  for (const Layer& layer : workload.layers) {
    all.matrices.push_back({.m = workload.batch,
                            .k = layer.in,
                            .n = layer.out,
                            .left_gradient = !all.matrices.empty()});
  }
  return all;
}

Products convolution(const Workload& workload) {
  const ::convolution::Sizes sizes;
  Products all;
  int64_t side = sizes.side;
  const auto add = [&](int64_t in, int64_t out, int64_t kernel) {
    all.convolutions.push_back({.n = workload.batch,
                                .in = in,
                                .out = out,
                                .side = side,
                                .kernel = kernel,
                                .image_gradient = !all.convolutions.empty()});
    side = all.convolutions.back().out_side();
  };
  add(1, sizes.first, 5);
  add(sizes.first, sizes.first, 5);
  side /= 2;
  add(sizes.first, sizes.second, 3);
  add(sizes.second, sizes.second, 3);
  side /= 2;
  all.matrices.push_back(
      {.m = workload.batch, .k = sizes.second * side * side, .n = sizes.classes});
  return all;
}

Products transformer(const Workload& workload) {
  const TransformerSizes& sizes = workload.transformer;
  const int64_t rows = workload.batch * sizes.context;
  const int64_t size = sizes.width / sizes.heads;
  Products all;
  const auto add = [&](int64_t in, int64_t out) {
    all.matrices.push_back({.m = rows, .k = in, .n = out});
  };
  const auto add_attention = [&](int64_t k, int64_t n) {
    all.matrices.push_back(
        {.count = workload.batch * sizes.heads, .m = sizes.context, .k = k, .n = n});
  };
  for (int64_t block = 0; block < sizes.blocks; ++block) {
    add(sizes.width, 3 * sizes.width);
    add_attention(size, sizes.context);
    add_attention(sizes.context, size);
    add(sizes.width, sizes.width);
    add(sizes.width, 2 * sizes.hidden);
    add(sizes.hidden, sizes.width);
  }
  add(sizes.width, workload.classes);
  return all;
}

Products mobilenet(const Workload& workload) {
  const ::mobilenet::Sizes sizes;
  Products all;
  int64_t side = 28;
  const auto convolve = [&](int64_t in, int64_t out, int64_t kernel, int64_t stride,
                            int64_t groups) {
    all.convolutions.push_back({.n = workload.batch,
                                .in = in,
                                .out = out,
                                .side = side,
                                .kernel = kernel,
                                .stride = stride,
                                .padding = kernel / 2,
                                .groups = groups,
                                .image_gradient = !all.convolutions.empty()});
    side = all.convolutions.back().out_side();
  };
  const auto multiply = [&](int64_t in, int64_t out) {
    all.matrices.push_back({.m = workload.batch, .k = in, .n = out});
  };
  convolve(1, sizes.stem, 3, 2, 1);
  for (const auto& [in, expanded, out, kernel, stride] : sizes.bottlenecks) {
    convolve(in, expanded, 1, 1, 1);
    convolve(expanded, expanded, kernel, stride, expanded);
    multiply(expanded, expanded / 4);
    multiply(expanded / 4, expanded);
    convolve(expanded, out, 1, 1, 1);
  }
  convolve(sizes.bottlenecks.back().out, sizes.head, 1, 1, 1);
  multiply(sizes.head, sizes.classes);
  return all;
}

Products resnet(const Workload& workload) {
  Products all;
  int64_t side = 32;
  const auto convolve = [&](int64_t in, int64_t out, int64_t kernel, int64_t stride) {
    all.convolutions.push_back({.n = workload.batch,
                                .in = in,
                                .out = out,
                                .side = side,
                                .kernel = kernel,
                                .stride = stride,
                                .padding = kernel / 2,
                                .image_gradient = !all.convolutions.empty()});
  };
  convolve(3, ::resnet::kStem, 3, 1);
  for (const ::resnet::BlockSizes& sizes : ::resnet::all_sizes()) {
    convolve(sizes.in, sizes.out, 3, sizes.stride);
    if (sizes.changes()) convolve(sizes.in, sizes.out, 1, sizes.stride);
    side /= sizes.stride;
    convolve(sizes.out, sizes.out, 3, 1);
  }
  all.matrices.push_back(
      {.m = workload.batch, .k = ::resnet::all_sizes().back().out, .n = workload.classes});
  return all;
}

}  // namespace

Products products_of(const Workload& workload) {
  switch (workload.kind) {
    case Kind::convolution:
      return convolution(workload);
    case Kind::transformer:
      return transformer(workload);
    case Kind::mobilenet:
      return mobilenet(workload);
    case Kind::resnet:
      return resnet(workload);
    default:
      return perceptron(workload);
  }
}

}  // namespace aclgrad::bench
