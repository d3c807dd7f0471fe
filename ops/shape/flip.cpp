// SPDX-License-Identifier: Apache-2.0
// aclnnFlip, aclnnRoll.
#include "aclnnop/aclnn_flip.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_roll.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::flip {
namespace {

// ---- Flip ---------------------------------------------------------------------------------------

enum : size_t { kSelf, kDims, kOut };

const OperatorSpec kFlip{"aclnnFlip",
                         {input("self"), attribute("dims"), output("out")},
                         {not_null({kSelf, kDims, kOut}), dtype_in(kSelf, kAllDtypes),
                          same_dtype(kOut, kSelf), max_rank(kSelf), dims_in_range({.dims = kDims}),
                          dims_are_distinct({.dims = kDims}), same_shape(kOut, kSelf)}};

// Self from the last element of those dimensions on, backwards.
Plan plan_flip(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const Dims& shape = arguments.shape(kSelf);
  ViewCopy copy{shape, whole(arguments, kOut), whole(arguments, kSelf)};
  for (const int64_t dim : arguments.int_array(kDims)) {
    if (shape.empty()) continue;
    const size_t axis = normalize_axis(dim, shape.size());
    int64_t& stride = copy.from.strides[axis];
    copy.from.offset += (shape[axis] - 1) * stride;
    stride = -stride;
  }
  return plan_copies({copy});
}

// ---- Roll ---------------------------------------------------------------------------------------

namespace roll {

enum : size_t { kX, kShifts, kDims, kOut };

Rule has_shift_for_each_dim() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& shifts = arguments.int_array(kShifts);
    const size_t expected = std::max<size_t>(arguments.int_array(kDims).size(), 1);
    if (shifts.size() == expected) return std::nullopt;
    return fmt::format("{} must have {} entries for {} {}, but is {}.", arguments.name(kShifts),
                       expected, arguments.name(kDims), to_string(arguments.int_array(kDims)),
                       to_string(shifts));
  });
}

const OperatorSpec kSpec{
    "aclnnRoll",
    {input("x"), attribute("shifts"), attribute("dims"), output("out")},
    {not_null({kX, kShifts, kDims, kOut}), dtype_in(kX, kAllDtypes), same_dtype(kOut, kX),
     max_rank(kX), has_shift_for_each_dim(), dims_in_range({.dims = kDims}), same_shape(kOut, kX)}};

int64_t modulo(int64_t a, int64_t n) { return (a % n + n) % n; }

// The boxes in which x moves as a whole: along every dimension, what stays before the end and what
// comes in at the front again.
class Boxes {
 public:
  explicit Boxes(const Arguments& arguments)
      : shape_(arguments.shape(kX)),
        carries_(arguments.int_array(kDims).empty()),
        shifts_(Dims::filled(shape_.size(), 0)) {
    const std::vector<int64_t>& shifts = arguments.int_array(kShifts);
    for (size_t i = 0; i < arguments.int_array(kDims).size() && !shape_.empty(); ++i) {
      const size_t axis = normalize_axis(arguments.int_array(kDims)[i], shape_.size());
      shifts_[axis] = (shifts_[axis] + modulo(shifts[i], shape_[axis])) % shape_[axis];
    }
    const ViewCopy all{shape_, whole(arguments, kOut), whole(arguments, kX)};
    cut(all, shape_.size(), carries_ ? modulo(shifts[0], count_elements(shape_)) : 0);
  }

  const std::vector<ViewCopy>& copies() const { return copies_; }

 private:
  // Cuts dimensions [0, end), the last one first. `places`: how far x moves along dimension end -
  // 1, as one line carried over from dimension to dimension.
  void cut(const ViewCopy& box, size_t end, int64_t places) {
    if (end == 0) {
      copies_.push_back(box);
      return;
    }
    const size_t axis = end - 1;
    const int64_t size = shape_[axis];
    const int64_t shift = carries_ ? places % size : shifts_[axis];
    const int64_t carried = places / size;
    if (shift < size) cut(part(box, axis, 0, shift, size - shift), axis, carried);
    if (shift > 0) cut(part(box, axis, size - shift, 0, shift), axis, carried + 1);
  }

  static ViewCopy part(ViewCopy box, size_t axis, int64_t from, int64_t to, int64_t size) {
    box.shape[axis] = size;
    box.from.offset += from * box.from.strides[axis];
    box.to.offset += to * box.to.strides[axis];
    return box;
  }

  Dims shape_;
  bool carries_;
  Dims shifts_;
  std::vector<ViewCopy> copies_ = {};
};

}  // namespace roll
}  // namespace

ACLGRAD_OPERATOR(aclnnFlip, kFlip, plan_flip)
ACLGRAD_OPERATOR(aclnnRoll, roll::kSpec, [](const Arguments& arguments) {
  return arguments.empty(roll::kX) ? Plan{} : plan_copies(roll::Boxes(arguments).copies());
})

}  // namespace aclgrad::ops::flip
