// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul_kernel.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/extent.h"
#include "ops/engine/iterate.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/matmul/product_kernel.h"
#include "ops/matmul/product_kernel_pairs.h"
#include "ops/matmul/product_kernel_small.h"

namespace aclgrad::ops {
namespace {

// Waking a second thread costs some microseconds: below so many multiplications one thread is done
// sooner.
constexpr int64_t kMinForThreads = 1 << 20;

bool is_worth_threads(const MatmulProblem& problem) {
  return saturating_product({count_elements(problem.batch), problem.m, problem.n, problem.k}) >=
         kMinForThreads;
}

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

Extent extent_of(const Dims& batch, const MatrixView& view, int64_t rows, int64_t columns) {
  const auto size = static_cast<int64_t>(element_size(view.dtype));
  Extent extent(size);
  // The stride of a single row may be any number.
  const auto repeat = [&](int64_t count, int64_t stride) {
    if (count > 1) extent.repeat(count, stride * size);
  };
  repeat(rows, view.row_stride);
  repeat(columns, view.column_stride);
  for (size_t d = 0; d < batch.size(); ++d) repeat(batch[d], view.batch_strides[d]);
  return extent;
}

// An operand in one run. What the output lies on top of is copied: it would change while it is
// still needed.
class RunOperand {
 public:
  RunOperand(const void* data, const Extent& extent, const void* out, const Extent& out_extent)
      : data_(static_cast<const unsigned char*>(data)) {
    if (!overlap(data, extent, out, out_extent)) return;
    copy_.assign(extent.begin_at(data), extent.end_at(data));
    data_ = copy_.data() - extent.begin;
  }
  ~RunOperand() = default;
  RunOperand(const RunOperand&) = delete;
  RunOperand& operator=(const RunOperand&) = delete;

  const unsigned char* data() const { return data_; }

 private:
  const unsigned char* data_;
  std::vector<unsigned char> copy_;
};

// How an output is cut into a grid of parts, one for each thread: the shorter their edges, the less
// is read. Cutting changes no bit.
struct Grid {
  int64_t down = 1;
  int64_t across = 1;

  Grid(int64_t m, int64_t n, int64_t parts) {
    const auto edge = [&](int64_t d) { return m / d + n / (parts / d); };
    down = parts;
    for (int64_t d = 1; d < parts; ++d) {
      if (parts % d == 0 && edge(d) < edge(down)) down = d;
    }
    across = parts / down;
  }

  // The first row of part `i` out of `count`, which starts at a whole panel. There may be fewer
  // panels than parts: then some parts are empty.
  static int64_t start(int64_t extent, int64_t i, int64_t count, int64_t whole) {
    const int64_t panels = (extent + whole - 1) / whole;
    return std::min(extent, panels * i / count * whole);
  }
};

struct Span {
  int64_t begin;
  int64_t end;
};

class Product {
 public:
  explicit Product(const MatmulProblem& problem)
      : problem_(problem),
        batch_(count_elements(problem.batch)),
        is_worth_threads_(is_worth_threads(problem)),
        a_extent_(extent_of(problem.batch, problem.a, problem.m, problem.k)),
        b_extent_(extent_of(problem.batch, problem.b, problem.k, problem.n)),
        out_extent_(extent_of(problem.batch, problem.out, problem.m, problem.n)) {}

  void run(const Run& run) const {
    const void* const out = run.data(problem_.out.parameter);
    const RunOperand a(run.data(problem_.a.parameter), a_extent_, out, out_extent_);
    const RunOperand b(run.data(problem_.b.parameter), b_extent_, out, out_extent_);
    const Running running{run, a.data(), b.data()};
    if (is_worth_threads_) return run_on(aclgradGetNumThreads(), running);
    for (int64_t i = 0; i < batch_; ++i) run_part(running, i, all_rows(), all_columns());
  }

 private:
  static constexpr int64_t kWidth = kPanel<float>;

  struct Running {
    const Run& run;
    const unsigned char* a;
    const unsigned char* b;
  };

  Span all_rows() const { return {0, problem_.m}; }
  Span all_columns() const { return {0, problem_.n}; }

  ProductOperand matrix(const MatrixView& view, const unsigned char* data, int64_t batch) const {
    const void* const start = problem_.batch.empty()
                                  ? data
                                  : element(data, view.dtype, batch_offset(problem_, view, batch));
    return {start, view.dtype, problem_.round_to_float16 ? ACL_FLOAT16 : view.dtype,
            view.row_stride, view.column_stride};
  }

  void run_part(const Running& running, int64_t batch, Span rows, Span columns) const {
    if (rows.begin == rows.end || columns.begin == columns.end) return;
    multiply({problem_, running.run, batch, matrix(problem_.a, running.a, batch),
              matrix(problem_.b, running.b, batch), rows.begin, rows.end - rows.begin,
              columns.begin, columns.end - columns.begin});
  }

  void run_on(int64_t threads, const Running& running) const {
    const Grid grid(problem_.m, problem_.n, (threads + batch_ - 1) / batch_);
    if (batch_ == 1 && threads == 1) {
      run_part(running, 0, all_rows(), all_columns());
    } else if (batch_ == 1 && grid.across == 1) {
      parallel_shares(problem_.m, [&](int64_t begin, int64_t end) {
        run_part(running, 0, {begin, end}, all_columns());
      });
    } else if (batch_ == 1 && grid.down == 1) {
      const int64_t panels = (problem_.n + kWidth - 1) / kWidth;
      parallel_shares(panels, [&](int64_t begin, int64_t end) {
        run_part(running, 0, all_rows(), {begin * kWidth, std::min(problem_.n, end * kWidth)});
      });
    } else {
      run_grid(threads, grid, running);
    }
  }

  void run_grid(int64_t threads, const Grid& grid, const Running& running) const {
    const int64_t parts = grid.down * grid.across;
    const int64_t count = batch_ * parts;
    parallel_pieces(count, (count + threads - 1) / threads, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto row = [&](int64_t p) { return Grid::start(problem_.m, p, grid.down, 1); };
        const auto column = [&](int64_t p) {
          return Grid::start(problem_.n, p, grid.across, kWidth);
        };
        const int64_t down = i % parts / grid.across;
        const int64_t across = i % grid.across;
        run_part(running, i / parts, {row(down), row(down + 1)},
                 {column(across), column(across + 1)});
      }
    });
  }

  MatmulProblem problem_;
  int64_t batch_;
  bool is_worth_threads_;
  Extent a_extent_;
  Extent b_extent_;
  Extent out_extent_;
};

// A product to be cut. A unit is a row of the output, or a panel's piece of one where there are far
// more columns than rows. It needs all of b, and all of a unless it is a row and a's rows are
// dense: then one of those.
class ProductTiling final : public Tiling {
 public:
  explicit ProductTiling(const MatmulProblem& problem)
      : problem_(problem), width_(is_cut_into_panels(problem) ? kWidth : problem.n) {}

  // Larger products are faster with their own partition, and their time hides that of the operators
  // after them.
  static bool suits(const MatmulProblem& problem) {
    const auto is_whole = [&](const MatrixView& view) {
      return view.column_stride == 1 && view.row_stride == problem.n;
    };
    const auto is_row = [](const MatrixView& view) { return view.row_stride == 0; };
    const auto& added = problem.addend;
    return count_elements(problem.batch) == 1 &&
           (!is_cut_into_panels(problem) || problem.n % kWidth == 0) &&
           saturating_product({problem.k, problem.n}) <= kMaxOfB && is_whole(problem.out) &&
           (!added || is_row(*added) || (is_whole(*added) && added->dtype == problem.out.dtype));
  }

  int64_t units() const override { return problem_.m * line(); }

  // What is packed is packed for every part.
  RowGroups row_groups() const override {
    if (line() == 1 && !has_small_b(problem_) && reads_b_in_place(2 * kLinesAtOnce)) {
      return {1, std::min(problem_.m, 2 * kLinesAtOnce)};
    }
    return {line(),
            std::min(problem_.m, reads_b_in_place(kLinesAtOnce) ? kLinesAtOnce : problem_.m)};
  }

  size_t operand_count() const override { return problem_.addend ? 4 : 3; }
  Footprint footprint(size_t index) const override {
    if (index == 0) return units_of(problem_.out, true);
    if (index == 1) {
      return has_rows_of_a() ? rows_of_a() : all_of(problem_.a, problem_.m, problem_.k);
    }
    if (index == 2) return all_of(problem_.b, problem_.k, problem_.n);
    const MatrixView& added = *problem_.addend;
    return added.row_stride == 0 ? all_of(added, 1, problem_.n) : units_of(added, false);
  }

  void run_part(const Run& run, const Part& given) const override {
    if (line() == 1) return run_rows(run, given.joined());
    const Part& part = given;
    const int64_t column = part.begin % line() * width_;
    multiply({problem_, run, 0, matrix(run, problem_.a), matrix(run, problem_.b),
              part.begin / line(), part.rows, column, (part.end - part.begin) * width_});
  }

 private:
  static constexpr int64_t kWidth = kPanel<float>;
  static constexpr int64_t kMaxOfB = 1 << 18;  // elements: a quarter of a second-level cache
  static constexpr int64_t kSmallB = 1 << 16;
  static constexpr int64_t kLinesAtOnce = 1 << 6;  // for which b is read once from there
  static constexpr int64_t kEnoughRows = 2 * kLinesAtOnce;

  static bool has_small_b(const MatmulProblem& problem) {
    return saturating_product({problem.k, problem.n}) <= kSmallB;
  }

  // Of rows, every thread reads all of b. Of panels, other tasks need what others have written, and
  // parts of a thread's speed cannot be had.
  static bool is_cut_into_panels(const MatmulProblem& problem) {
    if (problem.m >= kEnoughRows && has_small_b(problem)) return false;
    return problem.m < problem.n - problem.m;
  }

  int64_t line() const { return problem_.n / width_; }

  // In parts of so many lines and, where that leaves a rest, of up to a half more.
  bool reads_b_in_place(int64_t lines) const {
    const MatrixView& b = problem_.b;
    return ops::reads_b_in_place(
        {nullptr, b.dtype, problem_.round_to_float16 ? ACL_FLOAT16 : b.dtype, b.row_stride,
         b.column_stride},
        std::min(problem_.m, 3 * lines / 2 - 1), width_);
  }

  bool has_rows_of_a() const {
    return line() == 1 && problem_.a.column_stride == 1 && problem_.a.row_stride >= problem_.k;
  }

  void run_rows(const Run& run, const Part& part) const {
    ProductOperand a = matrix(run, problem_.a);
    std::vector<unsigned char> copy;
    if (overwrites_rows_of_a(run, part)) {
      const auto* const from = row_of(a, part.begin);
      copy.assign(from, row_of(a, part.end - 1) + row_bytes(a));
      // Where row 0 would be if the rows before were there, too; they are others'.
      const auto before = static_cast<uintptr_t>(from - static_cast<const unsigned char*>(a.data));
      a.data = reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(copy.data()) - before);
    }
    multiply({problem_, run, 0, a, matrix(run, problem_.b), part.begin, part.end - part.begin, 0,
              problem_.n});
  }

  // A unit may write the very row that it reads, which would change while it is still needed.
  bool overwrites_rows_of_a(const Run& run, const Part& part) const {
    if (!has_rows_of_a()) return false;
    const ProductOperand a = matrix(run, problem_.a);
    const ProductOperand out = matrix(run, problem_.out);
    const std::less<> before;
    return before(row_of(a, part.begin), row_of(out, part.end)) &&
           before(row_of(out, part.begin), row_of(a, part.end - 1) + row_bytes(a));
  }

  int64_t row_bytes(const ProductOperand& a) const {
    return problem_.k * static_cast<int64_t>(element_size(a.dtype));
  }

  static const unsigned char* row_of(const ProductOperand& matrix, int64_t row) {
    return static_cast<const unsigned char*>(
        element(matrix.data, matrix.dtype, row * matrix.row_stride));
  }

  ProductOperand matrix(const Run& run, const MatrixView& view) const {
    return {element(run.data(view.parameter), view.dtype, 0), view.dtype,
            problem_.round_to_float16 ? ACL_FLOAT16 : view.dtype, view.row_stride,
            view.column_stride};
  }

  Footprint units_of(const MatrixView& view, bool is_written) const {
    const int64_t bytes = width_ * static_cast<int64_t>(element_size(view.dtype));
    return {view.parameter, 0, bytes, bytes, is_written};
  }

  Footprint rows_of_a() const {
    const auto size = static_cast<int64_t>(element_size(problem_.a.dtype));
    return {problem_.a.parameter, 0, problem_.a.row_stride * size, problem_.k * size, false};
  }

  static Footprint all_of(const MatrixView& view, int64_t rows, int64_t columns) {
    const Extent extent = extent_of({}, view, rows, columns);
    return {view.parameter, extent.begin, 0, extent.end - extent.begin, false};
  }

  MatmulProblem problem_;
  int64_t width_;  // of a unit
};

}  // namespace

Plan plan_matmul(const MatmulProblem& original) {
  MatmulProblem problem = original;
  if (saturating_product({count_elements(problem.batch), problem.m, problem.n}) == 0) return {};
  if (problem.k == 0) return plan_addend_only(problem);
  problem.adds_pairs = multiplies_in_pairs(problem);
  join_batch_into_rows(problem);
  if (has_vector(problem) && !is_small(problem)) return plan_vector(problem);
  Plan plan{[product = Product(problem)](const Run& run) {
    product.run(run);
    return ACL_SUCCESS;
  }};
  if (!is_worth_threads(problem)) {
    if (Body small = small_product(problem, plan.body)) plan.body = std::move(small);
  }
  if (ProductTiling::suits(problem)) plan.tiling = std::make_shared<const ProductTiling>(problem);
  return plan;
}

}  // namespace aclgrad::ops
