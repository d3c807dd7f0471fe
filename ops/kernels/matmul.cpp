// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/matmul.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "ops/kernels/cast.h"
#include "ops/kernels/formats.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/matmul_direct.h"
#include "ops/kernels/strided.h"
#include "ops/kernels/tile.h"

namespace aclgrad::ops {
namespace {

// Largest tiles of the output. Which one is used must follow from the shape alone: the high one
// reads b less often, the low one gives outputs of middling size to several threads.
constexpr int64_t kHighTileRows = 128;
constexpr int64_t kLowTileRows = 64;
constexpr int64_t kTileColumns = 256;
constexpr int64_t kManyTiles = 8;

// Waking a second thread costs some microseconds: below so many multiplications, or elements to
// copy, one thread is done sooner. The arithmetic is the same either way.
constexpr int64_t kWorthThreads = 1 << 22;
constexpr int64_t kWorthThreadsToCopy = 1 << 16;
static_assert(kTileColumns <= kRowPiece);

// Below so many multiplications BF16 operands are multiplied as FLOAT: making a primitive ready
// costs more than converting them.
constexpr int64_t kWorthBfloat16 = 1 << 20;

// Narrow outputs get higher tiles of the same size.
int64_t largest_tile_rows(int64_t m, int64_t n) {
  const bool many = m * n >= kManyTiles * kHighTileRows * kTileColumns;
  const int64_t rows = many ? kHighTileRows : kLowTileRows;
  return rows * kTileColumns / std::min(n, kTileColumns);
}

// One direction of the output cut into pieces as equal as can be: the first ones may be longer
// by 1. So none is a single row or column, for which libraries add in another order.
class Cut {
 public:
  Cut() = default;
  Cut(int64_t extent, int64_t largest)
      : pieces_((extent + largest - 1) / largest),
        shorter_(extent / pieces_),
        longer_(extent % pieces_) {}

  int64_t pieces() const { return pieces_; }
  bool has(bool is_longer) const { return is_longer ? longer_ > 0 : longer_ < pieces_; }
  int64_t length(bool is_longer) const { return shorter_ + (is_longer ? 1 : 0); }
  bool is_longer(int64_t piece) const { return piece < longer_; }
  int64_t start(int64_t piece) const { return piece * shorter_ + std::min(piece, longer_); }

 private:
  int64_t pieces_ = 0;
  int64_t shorter_ = 0;
  int64_t longer_ = 0;  // how many
};

// Takes the last batch dimension into the rows where b is the same for all of it and the rest goes
// on row after row: one large product instead of many small ones.
void join_batch_into_rows(MatmulProblem& problem) {
  const auto joins = [&](const MatrixView& view, size_t d) {
    return view.batch_strides[d] == view.row_stride * problem.m;
  };
  const auto drop = [](Dims& dims) { dims = Dims(dims.data(), dims.size() - 1); };
  while (!problem.batch.empty()) {
    const size_t d = problem.batch.size() - 1;
    const bool single = problem.batch[d] == 1;
    const bool fits = problem.b.batch_strides[d] == 0 && joins(problem.a, d) &&
                      joins(problem.out, d) && (!problem.addend || joins(*problem.addend, d));
    if (!single && !fits) return;
    problem.m *= problem.batch[d];
    drop(problem.batch);
    for (MatrixView* view : {&problem.a, &problem.b, &problem.out}) drop(view->batch_strides);
    if (problem.addend) drop(problem.addend->batch_strides);
  }
}

// target[j * rows + i] = source[i * stride + j]: rows become columns, by way of squares that stay
// in the nearest cache.
void transpose_floats(const float* source, int64_t stride, int64_t rows, int64_t columns,
                      int64_t first_row, int64_t last_row, float* target) {
  constexpr int64_t kSquare = 64;
  alignas(64) float tile[kSquare * kSquare];
  for (int64_t i = first_row; i < last_row; i += kSquare) {
    const int64_t height = std::min(kSquare, last_row - i);
    for (int64_t j = 0; j < columns; j += kSquare) {
      const int64_t width = std::min(kSquare, columns - j);
      pack_tile({width, height, 1, stride, sizeof(float)}, source + i * stride + j, tile);
      for (int64_t k = 0; k < width; ++k) {
        std::memcpy(target + (j + k) * rows + i, tile + k * height,
                    static_cast<size_t>(height) * sizeof(float));
      }
    }
  }
}

// An operand that gemm cannot read in place is copied into the workspace first, dense and in the
// type of the computation; a broadcast batch is copied once.
struct Packing {
  StridedIndex source;
  uint64_t workspace_offset = 0;
  aclDataType through = ACL_FLOAT;
  bool transposes_floats = false;  // a single FLOAT matrix whose dense lines become crossing ones
  int64_t lines = 0;
  int64_t length = 0;
  int64_t line_stride = 0;
};

struct Operand2d {
  MatrixView view;
  GemmStrides strides{1, 1};
  std::optional<Packing> packing;
};

class TiledProduct {
 public:
  explicit TiledProduct(const MatmulProblem& problem) : problem_(problem) {
    const aclDataType wide = problem.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
    const bool bfloat16 = problem.a.dtype == ACL_BF16 && problem.b.dtype == ACL_BF16 &&
                          problem.m * problem.n * problem.k >= kWorthBfloat16 &&
                          has_bfloat16_gemm();
    input_dtype_ = bfloat16 ? ACL_BF16 : wide;
    sum_dtype_ = wide;
    // Operands are also packed where reading them as they are would change the order of addition.
    const Demand demand = bfloat16 ? Demand::kPacked : Demand::kReadable;
    b_ = prepare(problem.b, problem.k, problem.n, PackedBy::kRows,
                 is_better_by_rows(problem) ? Demand::kByRows : demand);
    const bool b_by_columns = b_.strides.column != 1;
    a_ = prepare(problem.a, problem.m, problem.k, PackedBy::kColumns,
                 b_by_columns ? Demand::kByColumns : demand);
    in_place_ = !bfloat16 && problem.out.dtype == sum_dtype_ && !problem.addend &&
                problem.alpha == 1 && problem.out.column_stride == 1 &&
                problem.out.row_stride >= problem.n;
    rows_ = Cut(problem.m, largest_tile_rows(problem.m, problem.n));
    columns_ = Cut(problem.n, kTileColumns);
    for (bool taller : {false, true}) {
      for (bool wider : {false, true}) {
        if (!rows_.has(taller) || !columns_.has(wider)) continue;
        gemms_[taller][wider] =
            Gemm({input_dtype_, rows_.length(taller), columns_.length(wider), problem.k, a_.strides,
                  b_.strides, in_place_ ? problem.out.row_stride : columns_.length(wider)});
      }
    }
  }

  uint64_t workspace_size() const {
    return workspace_size_ == 0 ? 0 : workspace_size_ + kAlignment;
  }

  void run(const Run& run) const {
    Inputs inputs{run, locate(run, a_), locate(run, b_), {}, {}};
    keep_from_output(run, a_, problem_.m, problem_.k, inputs.a, inputs.a_copy);
    keep_from_output(run, b_, problem_.k, problem_.n, inputs.b, inputs.b_copy);
    const int64_t per_batch = rows_.pieces() * columns_.pieces();
    const int64_t tiles = count_elements(problem_.batch) * per_batch;
    const int64_t multiplications = problem_.m * problem_.n * problem_.k * tiles / per_batch;
    const int64_t grain = multiplications < kWorthThreads ? tiles : 1;
    parallel_pieces(tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        run_tile(inputs, i / per_batch, i % per_batch / columns_.pieces(), i % columns_.pieces());
      }
    });
  }

 private:
  static constexpr uint64_t kAlignment = 64;

  struct Inputs {
    const Run& run;
    const void* a;
    const void* b;
    std::vector<unsigned char> a_copy, b_copy;
  };

  enum class PackedBy { kRows, kColumns };
  enum class Demand { kReadable, kByRows, kByColumns, kPacked };

  // Whether a FLOAT b that lies by columns should be packed by rows. Either it or an a that lies by
  // rows must change; and the library would rearrange b for every row of tiles.
  bool is_better_by_rows(const MatmulProblem& problem) const {
    if (!is_plain_float(problem.b) || !is_plain_float(problem.a) || !problem.batch.empty() ||
        problem.b.row_stride != 1 || problem.b.column_stride == 1) {
      return false;
    }
    const bool other_must_change = problem.a.column_stride == 1;
    return problem.m > largest_tile_rows(problem.m, problem.n) ||
           (other_must_change && problem.n <= problem.m);
  }

  bool is_plain_float(const MatrixView& view) const {
    return view.dtype == ACL_FLOAT && input_dtype_ == ACL_FLOAT && !problem_.round_to_half;
  }

  // Packs what gemm cannot read as it is, or what it must have in a certain order.
  Operand2d prepare(const MatrixView& view, int64_t rows, int64_t columns, PackedBy order,
                    Demand demand) {
    Operand2d operand{view, {}, {}};
    const bool readable =
        make_gemm_strides(rows, columns, view.row_stride, view.column_stride, operand.strides);
    const bool in_order = demand == Demand::kReadable ||
                          (demand == Demand::kByRows && operand.strides.column == 1) ||
                          (demand == Demand::kByColumns && operand.strides.row == 1);
    if (readable && in_order && view.dtype == input_dtype_ && !problem_.round_to_half) {
      return operand;
    }
    Dims shape, strides;
    for (size_t d = 0; d < problem_.batch.size(); ++d) {
      shape.push_back(view.batch_strides[d] == 0 ? 1 : problem_.batch[d]);
      strides.push_back(view.batch_strides[d]);
    }
    const auto add_dimension = [&](int64_t size, int64_t stride) {
      shape.push_back(size);
      strides.push_back(stride);
    };
    if (order == PackedBy::kRows) {
      add_dimension(rows, view.row_stride);
      add_dimension(columns, view.column_stride);
      operand.strides = {columns, 1};
    } else {
      add_dimension(columns, view.column_stride);
      add_dimension(rows, view.row_stride);
      operand.strides = {1, rows};
    }
    const Dims dense = contiguous_strides(shape);
    for (size_t d = 0; d < problem_.batch.size(); ++d) {
      if (view.batch_strides[d] != 0) operand.view.batch_strides[d] = dense[d];
    }
    const bool by_rows = order == PackedBy::kRows;
    const int64_t line_step = by_rows ? view.row_stride : view.column_stride;
    operand.packing =
        Packing{StridedIndex(shape, strides),
                workspace_size_,
                problem_.round_to_half ? ACL_FLOAT16 : view.dtype,
                readable && line_step == 1 && problem_.batch.empty() && is_plain_float(view),
                by_rows ? columns : rows,
                by_rows ? rows : columns,
                by_rows ? view.column_stride : view.row_stride};
    const uint64_t size = static_cast<uint64_t>(count_elements(shape)) * element_size(input_dtype_);
    workspace_size_ += (size + kAlignment - 1) / kAlignment * kAlignment;
    return operand;
  }

  // Where gemm finds the operand in this run; packs it there if needed.
  const void* locate(const Run& run, const Operand2d& operand) const {
    const void* source = run.data(operand.view.parameter);
    if (!operand.packing) return source;
    const Packing& packing = *operand.packing;
    const auto start = reinterpret_cast<uintptr_t>(run.workspace());
    const uintptr_t skip = (kAlignment - start % kAlignment) % kAlignment;
    void* target = static_cast<unsigned char*>(run.workspace()) + skip + packing.workspace_offset;
    if (packing.transposes_floats) {
      const int64_t grain =
          std::max<int64_t>(64, kWorthThreadsToCopy / std::max<int64_t>(1, packing.length));
      parallel_pieces(packing.lines, grain, [&](int64_t begin, int64_t end) {
        transpose_floats(static_cast<const float*>(source), packing.line_stride, packing.lines,
                         packing.length, begin, end, static_cast<float*>(target));
      });
      return target;
    }
    parallel_pieces(packing.source.count(), kWorthThreadsToCopy, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock];
      for (int64_t i = begin; i < end; i += kBlock) {
        const int64_t stop = std::min<int64_t>(end, i + kBlock);
        double* next = block;
        packing.source.for_runs(i, stop, [&](int64_t offset, int64_t stride, int64_t count) {
          load_through(element(source, operand.view.dtype, offset), operand.view.dtype,
                       packing.through, stride, next, static_cast<size_t>(count));
          next += count;
        });
        store(block, element(target, input_dtype_, i), input_dtype_, 1,
              static_cast<size_t>(stop - i));
      }
    });
    return target;
  }

  // Lowest and one past the highest byte that a batch of matrices touches.
  std::array<const unsigned char*, 2> reach(const Run& run, const MatrixView& view, int64_t rows,
                                            int64_t columns) const {
    int64_t low = 0;
    int64_t high = 1;
    const auto extend = [&](int64_t extent, int64_t stride) {
      (stride < 0 ? low : high) += (extent - 1) * stride;
    };
    extend(rows, view.row_stride);
    extend(columns, view.column_stride);
    for (size_t d = 0; d < problem_.batch.size(); ++d) {
      extend(problem_.batch[d], view.batch_strides[d]);
    }
    const void* base = run.data(view.parameter);
    return {static_cast<const unsigned char*>(element(base, view.dtype, low)),
            static_cast<const unsigned char*>(element(base, view.dtype, high))};
  }

  // An output on top of an operand would change it while other tiles still need it.
  void keep_from_output(const Run& run, const Operand2d& operand, int64_t rows, int64_t columns,
                        const void*& data, std::vector<unsigned char>& copy) const {
    if (operand.packing) return;
    const auto out = reach(run, problem_.out, problem_.m, problem_.n);
    const auto in = reach(run, operand.view, rows, columns);
    if (in[0] >= out[1] || out[0] >= in[1]) return;
    copy.assign(in[0], in[1]);
    data = copy.data() + (static_cast<const unsigned char*>(data) - in[0]);
  }

  void run_tile(const Inputs& inputs, int64_t batch, int64_t tile_row, int64_t tile_column) const {
    const bool taller = rows_.is_longer(tile_row);
    const bool wider = columns_.is_longer(tile_column);
    const int64_t row = rows_.start(tile_row);
    const int64_t column = columns_.start(tile_column);
    const int64_t rows = rows_.length(taller);
    const int64_t columns = columns_.length(wider);
    const void* a = element(inputs.a, input_dtype_,
                            batch_offset(problem_, a_.view, batch) + row * a_.strides.row);
    const void* b = element(inputs.b, input_dtype_,
                            batch_offset(problem_, b_.view, batch) + column * b_.strides.column);
    const Gemm& gemm = gemms_[taller][wider];
    const MatrixView& out = problem_.out;
    const int64_t first =
        batch_offset(problem_, out, batch) + row * out.row_stride + column * out.column_stride;
    void* target = element(inputs.run.data(out.parameter), out.dtype, first);
    if (in_place_) return gemm(a, b, target);
    alignas(64) thread_local std::array<double, kHighTileRows * kTileColumns> tile;
    gemm(a, b, tile.data());
    for (int64_t i = 0; i < rows; ++i) {
      alignas(64) double sums[kTileColumns];
      const void* source = element(static_cast<void*>(tile.data()), sum_dtype_, i * columns);
      load(source, sum_dtype_, 1, sums, static_cast<size_t>(columns));
      finish_row(problem_, inputs.run, batch, row + i, column, sums, columns);
    }
  }

  MatmulProblem problem_;
  aclDataType input_dtype_ = ACL_FLOAT;
  aclDataType sum_dtype_ = ACL_FLOAT;
  Operand2d a_, b_;
  bool in_place_ = false;
  Cut rows_, columns_;
  uint64_t workspace_size_ = 0;
  Gemm gemms_[2][2];  // [rows are longer][columns are longer]
};

}  // namespace

Plan plan_matmul(const MatmulProblem& original) {
  MatmulProblem problem = original;
  if (count_elements(problem.batch) * problem.m * problem.n == 0) return {};
  if (problem.k == 0 || problem.alpha == 0) return plan_addend_only(problem);
  join_batch_into_rows(problem);
  if (is_small(problem)) return plan_small(problem);
  if (has_vector(problem)) return plan_vector(problem);
  auto product = std::make_shared<const TiledProduct>(problem);
  return {[product](const Run& run) -> aclError {
            product->run(run);
            return ACL_SUCCESS;
          },
          product->workspace_size()};
}

}  // namespace aclgrad::ops
