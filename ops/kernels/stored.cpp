// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/stored.h"

#include <algorithm>
#include <array>

#include "ops/kernels/formats.h"
#include "ops/kernels/tile.h"
#include "ops/kernels/walk.h"

namespace aclgrad::ops {
namespace {

// Elements of a tile whose operands are copied: four such tiles of FLOAT fit a first-level cache.
constexpr int64_t kPackedTile = 2048;
// Columns of such a tile where rows and columns change places for some operand. Each row of 16
// floats of the other layout is then a whole cache line.
constexpr int64_t kTransposedColumns = 128;
// Rows shorter than this are worth copying together, to have one call of the kernel for many.
constexpr int64_t kShortRow = 64;
// Elements that a thread takes at a time; smaller operations stay on the calling thread.
constexpr int64_t kGrain = 16384;
// Outputs of this many bytes and more are stored around the caches: with the inputs they do not fit a
// second-level cache, and reading a line before overwriting it costs more than the next operator
// gains from finding it in the third (bench_kernels, and chains of operators, from 256K elements on).
constexpr int64_t kLargeOutput = int64_t{1} << 20;

bool dense(const Operand& operand, size_t dimension) { return operand.strides[dimension] == 1; }

// The dimension along which most operands are dense, the later one of equals.
size_t columns_dimension(const Dims& shape, const std::vector<const Operand*>& operands) {
  size_t best = shape.size() - 1;
  int64_t best_count = -1;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t count = std::count_if(operands.begin(), operands.end(),
                                        [&](const Operand* each) { return dense(*each, d); });
    if (count > best_count) {
      best = d;
      best_count = count;
    }
  }
  return best;
}

// The dimension along which some operand is dense that is not so along the columns; otherwise the
// last one left. The columns' dimension itself when there is no other.
size_t rows_dimension(const Dims& shape, const std::vector<const Operand*>& operands,
                      size_t columns) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (d == columns) continue;
    for (const Operand* each : operands) {
      if (dense(*each, d) && each->strides[columns] != 0) return d;
    }
  }
  if (shape.size() == 1) return columns;
  return columns == shape.size() - 1 ? columns - 1 : shape.size() - 1;
}

}  // namespace

// A thread's tiles.
struct StoredLoop::Scratch {
  struct alignas(64) Tile {
    std::byte bytes[kPackedTile * sizeof(float)];
  };
  std::vector<Tile> tiles;
};

StoredLoop::View StoredLoop::view_of(const Operand& operand, size_t rows, size_t columns,
                                     size_t element_bytes) {
  View view{operand.parameter,
            operand.offset * static_cast<int64_t>(element_bytes),
            {},
            rows == columns ? 0 : operand.strides[rows],
            operand.strides[columns],
            false};
  for (size_t d = 0; d < operand.strides.size(); ++d) {
    if (d != rows && d != columns) view.outer.push_back(operand.strides[d]);
  }
  return view;
}

StoredLoop::StoredLoop(Dims shape, const std::vector<Operand>& outputs,
                       const std::vector<Operand>& inputs, StoredKernel kernel)
    : kernel_(std::move(kernel)),
      dtype_(outputs[0].dtype),
      element_bytes_(static_cast<int64_t>(element_size(dtype_))),
      outputs_(outputs.size()) {
  std::vector<const Operand*> operands;
  for (const Operand& each : outputs) operands.push_back(&each);
  for (const Operand& each : inputs) operands.push_back(&each);
  const size_t columns = columns_dimension(shape, operands);
  const size_t rows = rows_dimension(shape, operands, columns);
  columns_ = shape[columns];
  if (rows != columns) rows_ = shape[rows];
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != rows && d != columns) outer_shape_.push_back(shape[d]);
  }
  bool transposes = false;
  for (const Operand* each : operands) {
    views_.push_back(view_of(*each, rows, columns, static_cast<size_t>(element_bytes_)));
    View& view = views_.back();
    view.packed = view.column_stride != 1 && columns_ > 1;
    transposes = transposes || (view.packed && view.row_stride == 1);
  }
  tiles_ = 0;
  if (rows_ * columns_ * count_elements(outer_shape_) > 0) choose_tile(transposes);
}

void StoredLoop::choose_tile(bool transposes) {
  bool packs = std::any_of(views_.begin(), views_.end(), [](const View& v) { return v.packed; });
  if (columns_ < kShortRow && rows_ > 1) {
    packs = true;
    for (View& view : views_) view.packed = true;
  }
  const int64_t limit = packs ? kPackedTile : kGrain;
  tile_columns_ = std::min(columns_, transposes ? kTransposedColumns : limit);
  tile_rows_ = std::clamp<int64_t>(limit / tile_columns_, 1, rows_);
  tiles_across_ = (columns_ + tile_columns_ - 1) / tile_columns_;
  tiles_down_ = (rows_ + tile_rows_ - 1) / tile_rows_;
  tiles_ = tiles_across_ * tiles_down_ * count_elements(outer_shape_);
  all_packed_ = std::all_of(views_.begin(), views_.end(), [](const View& v) { return v.packed; });
  around_caches_ = !packs && rows_ * columns_ * count_elements(outer_shape_) * element_bytes_ *
                                     static_cast<int64_t>(outputs_) >=
                                 kLargeOutput;
}

std::byte* StoredLoop::tile_start(std::byte* base, const View& view, int64_t tile) const {
  int64_t offset = tile % tiles_across_ * tile_columns_ * view.column_stride;
  tile /= tiles_across_;
  offset += tile % tiles_down_ * tile_rows_ * view.row_stride;
  tile /= tiles_down_;
  for (size_t d = outer_shape_.size(); d-- > 0; tile /= outer_shape_[d]) {
    offset += tile % outer_shape_[d] * view.outer[d];
  }
  return base + offset * element_bytes_;
}

void StoredLoop::run_tile(std::byte* const* bases, int64_t tile, Scratch& scratch) const {
  const int64_t columns = std::min(tile_columns_, columns_ - tile % tiles_across_ * tile_columns_);
  const int64_t rows =
      std::min(tile_rows_, rows_ - tile / tiles_across_ % tiles_down_ * tile_rows_);
  const auto tile_shape = [&](const View& view) {
    return TileShape{rows, columns, view.row_stride, view.column_stride, element_bytes_};
  };
  std::array<std::byte*, kMaxOperands> places;  // where each operand's tile lies in its tensor
  std::array<void*, kMaxOperands> starts;       // and where the kernel finds it
  for (size_t k = 0; k < views_.size(); ++k) {
    places[k] = tile_start(bases[k], views_[k], tile);
    starts[k] = views_[k].packed ? scratch.tiles[k].bytes : places[k];
    if (views_[k].packed && k >= outputs_) pack_tile(tile_shape(views_[k]), places[k], starts[k]);
  }
  const auto call = [&](int64_t count) {
    kernel_({dtype_, starts.data() + outputs_, starts.data(), static_cast<size_t>(count),
             around_caches_});
  };
  if (all_packed_ || rows == 1) {
    call(rows * columns);
  } else {
    for (int64_t i = 0; i < rows; ++i) {
      call(columns);
      for (size_t k = 0; k < views_.size(); ++k) {
        const int64_t step = views_[k].packed ? columns : views_[k].row_stride;
        starts[k] = static_cast<std::byte*>(starts[k]) + step * element_bytes_;
      }
    }
  }
  for (size_t k = 0; k < outputs_; ++k) {
    if (!views_[k].packed) continue;
    unpack_tile(tile_shape(views_[k]), scratch.tiles[k].bytes, places[k]);
  }
}

void StoredLoop::run(const Run& run) const {
  std::array<std::byte*, kMaxOperands> bases;
  for (size_t k = 0; k < views_.size(); ++k) {
    bases[k] = run.data<std::byte>(views_[k].parameter) + views_[k].offset;
  }
  const int64_t grain = std::max<int64_t>(1, kGrain / (tile_rows_ * tile_columns_));
  parallel_pieces(tiles_, grain, [&](int64_t begin, int64_t end) {
    thread_local Scratch scratch;
    if (scratch.tiles.size() < views_.size()) scratch.tiles.resize(views_.size());
    for (int64_t tile = begin; tile < end; ++tile) run_tile(bases.data(), tile, scratch);
  });
}

}  // namespace aclgrad::ops
