// SPDX-License-Identifier: Apache-2.0
// An operation as streams of equal length: a tensor twice as long as the shortest is two of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/contender.h"

namespace aclgrad::bench {

struct Streams {
  std::vector<uint32_t*> in;
  std::vector<uint32_t*> out;
  size_t words = 0;  // of 4 bytes, in each
};

// Leaves out what is small beside the largest tensor, and inputs that are not read.
inline Streams streams_of(const Problem& problem) {
  int64_t largest = 0;
  for (const View& view : problem.inputs) largest = std::max(largest, view.bytes());
  for (const View& view : problem.outputs) largest = std::max(largest, view.bytes());
  int64_t length = largest;
  const auto counts = [&](const View& view) { return view.bytes() * 8 >= largest; };
  for (const std::vector<View>* views : {&problem.inputs, &problem.outputs}) {
    for (const View& view : *views) {
      if (counts(view)) length = std::min(length, view.bytes());
    }
  }
  Streams streams;
  streams.words = static_cast<size_t>(length) / sizeof(uint32_t);
  const auto add = [&](const View& view, std::vector<uint32_t*>& to) {
    if (!counts(view)) return;
    auto* data = static_cast<uint32_t*>(view.data);
    for (int64_t done = 0; done + length <= view.bytes(); done += length) {
      to.push_back(data);
      data += streams.words;
    }
  };
  for (const View& view : problem.inputs) {
    if (!view.unread) add(view, streams.in);
  }
  for (const View& view : problem.outputs) add(view, streams.out);
  return streams;
}

}  // namespace aclgrad::bench
