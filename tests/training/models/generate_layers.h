// SPDX-License-Identifier: Apache-2.0
// Random layers that fit the shape of what they get.
#pragma once

#include "tests/training/models/draw.h"
#include "tests/training/models/spec.h"

namespace aclgrad::training {

class LayerGenerator {
 public:
  LayerGenerator(Draw& draw, const Wanted& wanted) : draw_(draw), wanted_(wanted) {}

  /// Up to so many layers for examples of the shape [2, ...]; adds none that the library refuses.
  Json layers(Shape shape, std::int64_t most, int depth = 0);

  /// A layer with a name that no other one has.
  Json named(const char* kind);

 private:
  Json any(const Shape& shape, int depth);
  Json for_images(const Shape& shape);
  Json for_sequences(const Shape& shape);
  Json for_rows(const Shape& shape);
  Json activation(const Shape& shape);
  Json nested(const Shape& shape, int depth);
  Json convolution(const Shape& shape);
  Json transposed(const Shape& shape);
  Json max_pool(const Shape& shape);
  Json avg_pool(const Shape& shape);
  void draw_window(Json& layer, const Shape& shape, bool pool);
  Json norm(const char* kind);
  Json group_norm(const Shape& shape);
  Json attention(const Shape& shape);

  Draw& draw_;
  Wanted wanted_;
  int count_ = 0;
};

}  // namespace aclgrad::training
