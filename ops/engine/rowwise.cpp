// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/rowwise.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/iterate.h"
#include "ops/engine/thread_scratch.h"
#include "ops/engine/tile.h"

namespace aclgrad::ops {
namespace {

using Kind = RowOperand::Kind;

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 16384;

struct RowScratch {
  std::vector<std::byte> rows;
  std::vector<double> numbers;
};

// A tensor as rows: where rows start (or numbers lie), and the elements of one of them.
struct RowTensor : Slices {
  RowOperand operand;
  bool in_place = false;  // the kernel takes rows from where they lie
};

// A unit is a row.
class RowWork final : public Tiling {
 public:
  RowWork(const Arguments& arguments, size_t first, size_t count, std::vector<RowOperand> operands,
          RowKernel kernel)
      : kernel_(std::move(kernel)) {
    for (const RowOperand& operand : operands) add(arguments, first, count, operand);
    for (RowTensor& each : tensors_) place(each);
  }

  aclError run_all(const Run& run) const {
    parallel_pieces(rows_, grain(), [&](int64_t begin, int64_t end) { run_rows(run, begin, end); });
    return ACL_SUCCESS;
  }

  // All tensors lie such that units reach for a stretch of memory each.
  bool can_be_cut() const {
    return std::all_of(tensors_.begin(), tensors_.end(), [](const RowTensor& each) {
      if (!each.operand.parameter) return true;
      switch (each.operand.kind) {
        case Kind::kRows:
          return each.in_place;
        case Kind::kShared:
          return each.index.dense();
        default:
          return each.starts.is_line();
      }
    });
  }

  int64_t units() const override { return rows_; }
  size_t operand_count() const override {
    return static_cast<size_t>(
        std::count_if(tensors_.begin(), tensors_.end(),
                      [](const RowTensor& each) { return each.operand.parameter.has_value(); }));
  }
  Footprint footprint(size_t index) const override {
    auto each = tensors_.begin();
    while (!each->operand.parameter || index-- > 0) ++each;
    const auto size = static_cast<int64_t>(element_size(each->dtype));
    const bool shared = each->operand.kind == Kind::kShared;
    const int64_t length = each->operand.kind == Kind::kPerRow ? 1 : length_;
    return {each->parameter, 0, shared ? 0 : each->starts.inner_stride() * size, length * size,
            each->operand.is_written};
  }
  void run_part(const Run& run, const Part& given) const override {
    const Part part = given.joined();
    for (int64_t i = 0; i < part.rows; ++i) {
      const int64_t end = part.end + i * part.stride;
      for (int64_t row = part.begin + i * part.stride; row < end; row += grain()) {
        run_rows(run, row, std::min(end, row + grain()));
      }
    }
  }

 private:
  int64_t grain() const { return std::max<int64_t>(1, kGrain / length_); }

  void add(const Arguments& arguments, size_t first, size_t count, const RowOperand& operand) {
    RowTensor& tensor = tensors_.emplace_back();
    tensor.operand = operand;
    if (!operand.parameter) return;
    DimSet inside = dimensions(first, count);
    if (operand.kind == Kind::kShared) inside = dimensions(0, kMaxRank);
    if (operand.kind == Kind::kPerRow) inside = {};
    static_cast<Slices&>(tensor) = Slices(arguments, *operand.parameter, inside);
    if (operand.kind != Kind::kRows) return;
    rows_ = tensor.starts.count();
    length_ = tensor.index.count();
    // Rows of different dtypes meet in DOUBLE.
    dtype_ = dtype_.value_or(tensor.dtype) == tensor.dtype ? tensor.dtype : ACL_DOUBLE;
  }

  void place(RowTensor& tensor) {
    if (tensor.operand.kind != Kind::kRows) return;
    tensor.in_place = tensor.dtype == *dtype_ && intermediate_dtype(tensor) == tensor.dtype &&
                      tensor.index.dense() && tensor.starts.is_line();
    if (!tensor.in_place) ++gathered_;
  }

  void run_rows(const Run& run, int64_t begin, int64_t end) const {
    const auto count = static_cast<size_t>(end - begin);
    const auto length = static_cast<size_t>(length_);
    const ThreadScratch<RowScratch> scratch;
    const size_t bytes = count * length * element_size(*dtype_);
    scratch->rows.resize(std::max(scratch->rows.size(), gathered_ * bytes));
    scratch->numbers.resize(
        std::max(scratch->numbers.size(), RowBlock::kMaxOperands * std::max(count, length)));
    std::byte* rows = scratch->rows.data();
    double* numbers = scratch->numbers.data();
    RowBlock block{.dtype = *dtype_, .count = count, .length = length};
    RowPlace* next_rows = block.rows.data();
    double** next_numbers = block.numbers.data();
    for (const RowTensor& each : tensors_) {
      if (each.operand.kind == Kind::kRows) {
        *next_rows = {rows, length_};
        if (each.in_place) {
          *next_rows = {each.at(run, each.starts.offset(begin)), each.starts.inner_stride()};
        } else {
          if (!each.operand.is_written) copy_rows<true>(run, each, begin, end, rows);
          rows += bytes;
        }
        ++next_rows;
        continue;
      }
      double** const found = next_numbers++;
      if (!each.operand.parameter) continue;
      const bool shared = each.operand.kind == Kind::kShared;
      *found = numbers;
      numbers += shared ? length : count;
      if (each.operand.is_written) continue;
      read_elements(run.data(each.parameter), each.dtype, shared ? each.index : each.starts,
                    shared ? 0 : begin, shared ? length_ : end, *found);
    }
    kernel_(block);
    next_rows = block.rows.data();
    next_numbers = block.numbers.data();
    for (const RowTensor& each : tensors_) {
      if (each.operand.kind == Kind::kRows) {
        auto* const place = static_cast<std::byte*>(next_rows++->data);
        if (each.operand.is_written && !each.in_place)
          copy_rows<false>(run, each, begin, end, place);
        continue;
      }
      double* const place = *next_numbers++;
      if (place == nullptr || !each.operand.is_written) continue;
      write_elements(place, run.data(each.parameter), each.dtype, each.starts, begin, end);
    }
  }

  static aclDataType intermediate_dtype(const RowTensor& tensor) {
    return tensor.operand.intermediate_dtype.value_or(tensor.dtype);
  }

  // Rows [begin, end), which lie anyhow, to or from dense rows of the kernel's dtype.
  template <bool kIn>
  void copy_rows(const Run& run, const RowTensor& tensor, int64_t begin, int64_t end,
                 std::byte* dense) const {
    const auto size = static_cast<int64_t>(element_size(*dtype_));
    tensor.starts.for_runs(begin, end, [&](int64_t start, int64_t step, int64_t count) {
      const bool at_once = tensor.index.is_line();
      for (int64_t k = 0; k < count; k += at_once ? count : 1) {
        const TileShape tile{at_once ? count : 1, 0, step, 0, size};
        copy_elements<kIn>(run, tensor, start + k * step, tile, dense);
        dense += tile.rows * length_ * size;
      }
    });
  }

  // Some rows of one shape, from `start` on; all but the columns of `tile` is known.
  template <bool kIn>
  void copy_elements(const Run& run, const RowTensor& tensor, int64_t start, TileShape tile,
                     std::byte* dense) const {
    tensor.index.for_runs(0, length_, [&](int64_t offset, int64_t stride, int64_t n) {
      tile.columns = n;
      tile.column_stride = stride;
      if (*dtype_ != ACL_DOUBLE) {
        void* const memory = tensor.at(run, start + offset);
        kIn ? pack_tile(tile, memory, dense) : unpack_tile(tile, dense, memory);
        dense += n * tile.element_bytes;
        return;
      }
      for (int64_t i = 0; i < tile.rows; ++i) {
        copy_run<kIn>(run, tensor, start + i * tile.row_stride + offset, stride, n, dense);
        dense += n * tile.element_bytes;
      }
    });
  }

  template <bool kIn>
  static void copy_run(const Run& run, const RowTensor& tensor, int64_t start, int64_t stride,
                       int64_t n, std::byte* dense) {
    constexpr auto kStep = static_cast<int64_t>(kBlock);
    auto* numbers = reinterpret_cast<double*>(dense);
    for (int64_t j = 0; j < n; j += kStep) {
      void* const memory = tensor.at(run, start + j * stride);
      const auto some = static_cast<size_t>(std::min(kStep, n - j));
      if constexpr (kIn) {
        load_through(memory, tensor.dtype, intermediate_dtype(tensor), stride, numbers + j, some);
      } else {
        store(numbers + j, memory, tensor.dtype, stride, some);
      }
    }
  }

  RowKernel kernel_;
  std::vector<RowTensor> tensors_;
  std::optional<aclDataType> dtype_;  // of the kernel
  int64_t rows_ = 1;
  int64_t length_ = 1;
  size_t gathered_ = 0;  // tensors of rows that are not in place
};

}  // namespace

Plan plan_rows(const Arguments& arguments, size_t first, size_t count,
               std::vector<RowOperand> operands, RowKernel kernel) {
  const auto work = std::make_shared<const RowWork>(arguments, first, count, std::move(operands),
                                                    std::move(kernel));
  Plan plan{[work](const Run& run) { return work->run_all(run); }};
  if (work->can_be_cut()) plan.tiling = work;
  return plan;
}

}  // namespace aclgrad::ops
