// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/native_loop.h"

#include <algorithm>
#include <array>

#include "hwy/cache_control.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/thread_scratch.h"
#include "ops/engine/tile.h"

namespace aclgrad::ops {
namespace {

// Bytes of a tile whose operands are copied: four such tiles fit a first-level cache.
constexpr int64_t kPackedTile = 8192;
// Columns of such a tile where rows and columns change places for some operand. Each row of 16
// floats of the other layout is then a whole cache line.
constexpr int64_t kTransposedColumns = 64;
// So many such tiles side by side are taken before those below them: what they touch of the other
// layout lies in as many pages as there are columns, few enough to be remembered until the tiles
// below read on in the same pages.
constexpr int64_t kStripTiles = 8;
// Rows shorter than this are worth copying together, to have one call of the kernel for many.
constexpr int64_t kShortRow = 64;
// Elements that a thread takes at a time; smaller operations stay on the calling thread.
constexpr int64_t kGrain = 16384;
// Outputs of this many bytes and more are written by streaming stores: with the inputs they do not
// fit a second-level cache, and reading a line before overwriting it costs more than the next
// operator gains from finding it in the third (bench_kernels, and chains of operators, from 256K
// elements on).
constexpr int64_t kLargeOutput = int64_t{1} << 20;

// The limit kLargeOutput where all inputs are short repeated rows, which take no room of the
// caches.
constexpr int64_t kLargeRepetition = int64_t{8} << 20;

// Streaming stores may otherwise be seen by other threads after this one's report that it
// is done.
void await_stores() { hwy::FlushStream(); }

bool dense(const Operand& operand, size_t dimension) { return operand.strides[dimension] == 1; }

// The dimension along which the first operand is dense that is so along any: the outputs come
// first, as reading across lines costs less than writing across them.
size_t columns_dimension(const Dims& shape, const std::vector<const Operand*>& operands) {
  for (const Operand* each : operands) {
    for (size_t d = shape.size(); d-- > 0;) {
      if (dense(*each, d)) return d;
    }
  }
  return shape.size() - 1;
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
struct NativeLoop::Scratch {
  struct alignas(64) Tile {
    std::byte bytes[kPackedTile];
  };
  std::vector<Tile> tiles;
};

void NativeLoop::add_view(const Operand& operand, size_t rows, size_t columns) {
  const auto size = static_cast<int64_t>(element_size(operand.dtype));
  views_.push_back({.parameter = operand.parameter,
                    .offset = operand.offset * size,
                    .element_bytes = size,
                    .row_stride = rows == columns ? 0 : operand.strides[rows] * size,
                    .column_stride = operand.strides[columns] * size,
                    .packed = false});
  if (outer_shape_.empty()) return;
  Dims& outer = outer_strides_.emplace_back();
  for (size_t d = 0; d < operand.strides.size(); ++d) {
    if (d != rows && d != columns) outer.push_back(operand.strides[d] * size);
  }
}

NativeLoop::NativeLoop(Dims shape, const std::vector<Operand>& outputs,
                       const std::vector<Operand>& inputs, NativeKernel kernel)
    : kernel_(std::move(kernel)), dtype_(outputs[0].dtype), outputs_(outputs.size()) {
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
  views_.reserve(operands.size());
  for (const Operand* each : operands) add_view(*each, rows, columns);
  if (count_elements(shape) > 0) choose_tile();
}

int64_t NativeLoop::count_joined_rows(int64_t largest_element) const {
  bool repeats = false;
  for (size_t k = 0; k < views_.size(); ++k) {
    const View& view = views_[k];
    const bool repeated = is_repeated(k);
    repeats = repeats || repeated;
    const bool joins = view.dense() && view.row_stride == columns_ * view.element_bytes;
    if (!repeated && !joins) return 1;
  }
  return repeats ? std::clamp<int64_t>(kPackedTile / (columns_ * largest_element), 1, rows_) : 1;
}

void NativeLoop::choose_tile() {
  int64_t output_bytes = 0;
  int64_t largest = 1;
  bool reads_along = false;
  for (size_t k = 0; k < views_.size(); ++k) {
    largest = std::max(largest, views_[k].element_bytes);
    if (k < outputs_) output_bytes += views_[k].element_bytes;
    reads_along = reads_along || (k >= outputs_ && !is_repeated(k));
  }
  joined_rows_ = count_joined_rows(largest);
  const bool short_rows = columns_ < kShortRow && rows_ > 1 && joined_rows_ == 1;
  bool packs = false;
  bool packs_outputs = false;
  bool transposes = false;
  all_packed_ = true;
  for (size_t k = 0; k < views_.size(); ++k) {
    View& view = views_[k];
    view.packed = short_rows || (columns_ > 1 && !view.dense());
    packs = packs || view.packed;
    transposes = transposes || view.transposed();
    all_packed_ = all_packed_ && view.packed;
    packs_outputs = packs_outputs || (k < outputs_ && view.packed);
  }
  const int64_t limit = packs ? kPackedTile / largest : kGrain;
  tile_columns_ = std::min(columns_, transposes ? kTransposedColumns : limit);
  tile_rows_ = std::clamp<int64_t>(limit / tile_columns_ / joined_rows_ * joined_rows_, 1, rows_);
  tiles_across_ = (columns_ + tile_columns_ - 1) / tile_columns_;
  tiles_down_ = (rows_ + tile_rows_ - 1) / tile_rows_;
  const int64_t outer = count_elements(outer_shape_);
  strip_tiles_ = transposes ? std::min(kStripTiles, tiles_across_) : tiles_across_;
  tiles_ = tiles_across_ * tiles_down_ * outer;
  const int64_t large = reads_along || joined_rows_ == 1 ? kLargeOutput : kLargeRepetition;
  tiles_at_once_ = std::max<int64_t>(1, kGrain / (tile_rows_ * tile_columns_));
  streaming_ = !packs_outputs && outer * rows_ * columns_ * output_bytes >= large;
  is_one_call_ = tiles_ == 1 && !packs && joined_rows_ == 1 && !streaming_;
}

NativeLoop::Position NativeLoop::position_of(int64_t tile) const {
  // The divisions are slow beside a small tensor.
  if (tile < tiles_across_ && strip_tiles_ == tiles_across_) return {0, 0, tile * tile_columns_};
  const int64_t strip = tiles_down_ * strip_tiles_;
  const int64_t whole = tiles_down_ * tiles_across_;
  const int64_t in_whole = tile % whole;
  const int64_t first = in_whole / strip * strip_tiles_;
  const int64_t width = std::min(strip_tiles_, tiles_across_ - first);
  const int64_t in_strip = in_whole % strip;
  return {tile / whole, in_strip / width * tile_rows_, (first + in_strip % width) * tile_columns_};
}

int64_t NativeLoop::offset_of(size_t index, const Position& position) const {
  const View& view = views_[index];
  int64_t offset = position.row * view.row_stride + position.column * view.column_stride;
  int64_t outer = position.outer;
  for (size_t d = outer_shape_.size(); d-- > 0; outer /= outer_shape_[d]) {
    offset += outer % outer_shape_[d] * outer_strides_[index][d];
  }
  return offset;
}

void NativeLoop::run_tile(std::byte* const* bases, int64_t tile, Scratch& scratch) const {
  const Position position = position_of(tile);
  const int64_t columns = std::min(tile_columns_, columns_ - position.column);
  const int64_t rows = std::min(tile_rows_, rows_ - position.row);
  const auto shape_of = [&](const View& view, int64_t count) {
    return TileShape{count, columns, view.row_stride / view.element_bytes,
                     view.column_stride / view.element_bytes, view.element_bytes};
  };
  std::array<std::byte*, kMaxOperands> places;  // where each operand's tile lies in its tensor
  std::array<void*, kMaxOperands> starts;       // and where the kernel finds it
  std::array<int64_t, kMaxOperands> strides;
  for (size_t k = 0; k < views_.size(); ++k) {
    const View& view = views_[k];
    places[k] = bases[k] + offset_of(k, position);
    const bool is_written_out = joined_rows_ > 1 && is_repeated(k);
    starts[k] = view.packed || is_written_out ? scratch.tiles[k].bytes : places[k];
    strides[k] = view.packed ? columns * view.element_bytes : view.row_stride * joined_rows_;
    if (view.packed && k >= outputs_) pack_tile(shape_of(view, rows), places[k], starts[k]);
    if (is_written_out) {
      pack_tile(shape_of(view, std::min(rows, joined_rows_)), places[k], starts[k]);
    }
  }
  const auto call_kernel = [&](int64_t calls, int64_t count) {
    kernel_({dtype_, starts.data() + outputs_, starts.data(), static_cast<size_t>(count),
             streaming_, static_cast<size_t>(calls), strides.data() + outputs_, strides.data()});
  };
  // Tiles that are all packed are one row each.
  const int64_t joined = all_packed_ ? rows : joined_rows_;
  const int64_t calls = rows / joined;
  if (calls > 0) call_kernel(calls, joined * columns);
  if (const int64_t rest = rows - calls * joined; rest > 0) {
    for (size_t k = 0; k < views_.size(); ++k) {
      starts[k] = static_cast<std::byte*>(starts[k]) + calls * strides[k];
    }
    call_kernel(1, rest * columns);
  }
  for (size_t k = 0; k < outputs_; ++k) {
    if (!views_[k].packed) continue;
    unpack_tile(shape_of(views_[k], rows), scratch.tiles[k].bytes, places[k]);
  }
}

// Without the arithmetic of tiles, which is slow beside a small tensor.
void NativeLoop::run_whole(const Run& run) const {
  std::array<void*, kMaxOperands> starts;
  std::array<int64_t, kMaxOperands> strides;
  for (size_t k = 0; k < views_.size(); ++k) {
    starts[k] = run.data<std::byte>(views_[k].parameter) + views_[k].offset;
    strides[k] = views_[k].row_stride;
  }
  kernel_({dtype_, starts.data() + outputs_, starts.data(), static_cast<size_t>(columns_), false,
           static_cast<size_t>(rows_), strides.data() + outputs_, strides.data()});
}

void NativeLoop::run(const Run& run) const {
  if (is_one_call_) return run_whole(run);
  std::array<std::byte*, kMaxOperands> bases;
  for (size_t k = 0; k < views_.size(); ++k) {
    bases[k] = run.data<std::byte>(views_[k].parameter) + views_[k].offset;
  }
  parallel_pieces(tiles_, tiles_at_once_, [&](int64_t begin, int64_t end) {
    const ThreadScratch<Scratch> scratch;
    if (scratch->tiles.size() < views_.size()) scratch->tiles.resize(views_.size());
    for (int64_t tile = begin; tile < end; ++tile) run_tile(bases.data(), tile, *scratch);
    if (streaming_) await_stores();
  });
}

const Tiling* NativeLoop::tiling() const {
  const auto is_packed = [](const View& view) { return view.packed; };
  // Short rows are worth it only if they are joined, which run_part() does not.
  const bool simple = tiles_ > 0 && count_elements(outer_shape_) == 1 &&
                      (is_line() || columns_ >= kShortRow) &&
                      std::none_of(views_.begin(), views_.end(), is_packed);
  return simple ? this : nullptr;
}

Tiling::Footprint NativeLoop::footprint(size_t index) const {
  const View& view = views_[index];
  const int64_t length = is_line() ? view.element_bytes : columns_ * view.element_bytes;
  return {view.parameter, view.offset, unit_stride(view), length, index < outputs_};
}

void NativeLoop::run_part(const Run& run, const Part& given) const {
  const Part part = given.joined();
  // Elements side by side are one row of the kernel's, and so many rows are one call; of what has
  // two dimensions, every unit is a row.
  const int64_t calls = is_line() ? 1 : part.rows;
  const int64_t rows = is_line() ? part.rows : part.end - part.begin;
  const bool streaming = streaming_ && !part.keep_cached;
  for (int64_t call = 0; call < calls; ++call) {
    std::array<void*, kMaxOperands> starts;
    std::array<int64_t, kMaxOperands> strides;
    for (size_t k = 0; k < views_.size(); ++k) {
      const View& view = views_[k];
      const int64_t unit = unit_stride(view);
      strides[k] = is_line() ? part.stride * unit : unit;
      starts[k] = run.data<std::byte>(view.parameter) + view.offset +
                  (part.begin + call * part.stride) * unit;
    }
    kernel_({dtype_, starts.data() + outputs_, starts.data(),
             static_cast<size_t>(is_line() ? part.end - part.begin : columns_), streaming,
             static_cast<size_t>(rows), strides.data() + outputs_, strides.data()});
  }
  if (streaming) await_stores();
}

}  // namespace aclgrad::ops
