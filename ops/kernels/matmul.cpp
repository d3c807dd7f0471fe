// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/matmul.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/kernels/formats.h"
#include "ops/kernels/matmul_direct.h"
#include "ops/kernels/product_kernel.h"
#include "ops/kernels/strided.h"

namespace aclgrad::ops {
namespace {

// Waking a second thread costs some microseconds: below so many multiplications one thread is done
// sooner.
constexpr int64_t kWorthThreads = 1 << 20;

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

// Lowest and one past the highest byte that a batch of matrices touches.
struct Reach {
  const unsigned char* low;
  const unsigned char* high;

  Reach(const MatmulProblem& problem, const Run& run, const MatrixView& view, int64_t rows,
        int64_t columns) {
    int64_t first = 0;
    int64_t end = 1;
    const auto extend = [&](int64_t extent, int64_t stride) {
      (stride < 0 ? first : end) += (extent - 1) * stride;
    };
    extend(rows, view.row_stride);
    extend(columns, view.column_stride);
    for (size_t d = 0; d < problem.batch.size(); ++d) {
      extend(problem.batch[d], view.batch_strides[d]);
    }
    const void* base = run.data(view.parameter);
    low = static_cast<const unsigned char*>(element(base, view.dtype, first));
    high = static_cast<const unsigned char*>(element(base, view.dtype, end));
  }
};

// An operand in one run. What the output lies on top of is copied: it would change while it is
// still needed.
class Operand2d {
 public:
  Operand2d(const MatmulProblem& problem, const Run& run, const MatrixView& view, int64_t rows,
            int64_t columns, const Reach& out)
      : problem_(problem), view_(view), data_(run.data(view.parameter)) {
    const Reach in(problem, run, view, rows, columns);
    if (in.low >= out.high || out.low >= in.high) return;
    copy_.assign(in.low, in.high);
    data_ = copy_.data() + (static_cast<const unsigned char*>(data_) - in.low);
  }
  ~Operand2d() = default;
  Operand2d(const Operand2d&) = delete;
  Operand2d& operator=(const Operand2d&) = delete;

  ProductOperand matrix(int64_t batch) const {
    return {element(data_, view_.dtype, batch_offset(problem_, view_, batch)), view_.dtype,
            problem_.round_to_half ? ACL_FLOAT16 : view_.dtype, view_.row_stride,
            view_.column_stride};
  }

 private:
  const MatmulProblem& problem_;
  const MatrixView& view_;
  const void* data_;
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
  Product(const MatmulProblem& problem, const Run& run)
      : Product(problem, run, Reach(problem, run, problem.out, problem.m, problem.n)) {}

  void run() const {
    const int64_t batch = count_elements(problem_.batch);
    const int64_t work = batch * problem_.m * problem_.n * problem_.k;
    const int64_t threads = work < kWorthThreads ? 1 : aclgradGetNumThreads();
    const Grid grid(problem_.m, problem_.n, (threads + batch - 1) / batch);
    if (batch == 1 && threads == 1) {
      run_part(0, all_rows(), all_columns());
    } else if (batch == 1 && grid.across == 1) {
      parallel_shares(problem_.m, [&](int64_t begin, int64_t end) {
        run_part(0, {begin, end}, all_columns());
      });
    } else if (batch == 1 && grid.down == 1) {
      const int64_t panels = (problem_.n + kWidth - 1) / kWidth;
      parallel_shares(panels, [&](int64_t begin, int64_t end) {
        run_part(0, all_rows(), {begin * kWidth, std::min(problem_.n, end * kWidth)});
      });
    } else {
      run_grid(batch, threads, grid);
    }
  }

 private:
  static constexpr int64_t kWidth = kPanel<float>;

  Product(const MatmulProblem& problem, const Run& run, const Reach& out)
      : problem_(problem),
        run_(run),
        a_(problem, run, problem.a, problem.m, problem.k, out),
        b_(problem, run, problem.b, problem.k, problem.n, out) {}

  Span all_rows() const { return {0, problem_.m}; }
  Span all_columns() const { return {0, problem_.n}; }

  void run_part(int64_t batch, Span rows, Span columns) const {
    if (rows.begin == rows.end || columns.begin == columns.end) return;
    multiply({problem_, run_, batch, a_.matrix(batch), b_.matrix(batch), rows.begin,
              rows.end - rows.begin, columns.begin, columns.end - columns.begin});
  }

  void run_grid(int64_t batch, int64_t threads, const Grid& grid) const {
    const int64_t parts = grid.down * grid.across;
    const int64_t count = batch * parts;
    parallel_pieces(count, (count + threads - 1) / threads, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto row = [&](int64_t p) { return Grid::start(problem_.m, p, grid.down, 1); };
        const auto column = [&](int64_t p) {
          return Grid::start(problem_.n, p, grid.across, kWidth);
        };
        const int64_t down = i % parts / grid.across;
        const int64_t across = i % grid.across;
        run_part(i / parts, {row(down), row(down + 1)}, {column(across), column(across + 1)});
      }
    });
  }

  const MatmulProblem& problem_;
  const Run& run_;
  Operand2d a_;
  Operand2d b_;
};

aclError run_product(const MatmulProblem& problem, const Run& run) {
  Product(problem, run).run();
  return ACL_SUCCESS;
}

// A product to be cut. A unit is a row of the output, or a panel's piece of one where there are
// more columns than rows. It needs all of b, and all of a unless it is a row and a's rows are
// dense: then one of those.
class ProductSweep final : public Sweep {
 public:
  explicit ProductSweep(const MatmulProblem& problem)
      : problem_(problem), width_(problem.m < problem.n ? kWidth : problem.n) {}

  // Larger products are better cut as they want it themselves, and hide what comes after them.
  static bool suits(const MatmulProblem& problem) {
    const auto is_dense = [&](const MatrixView& view) {
      return view.column_stride == 1 && view.row_stride == problem.n;
    };
    const auto is_row = [](const MatrixView& view) { return view.row_stride == 0; };
    const auto& added = problem.addend;
    return count_elements(problem.batch) == 1 &&
           (problem.m >= problem.n || problem.n % kWidth == 0) &&
           problem.k * problem.n <= kMostOfB && is_dense(problem.out) &&
           (!added || is_row(*added) || (is_dense(*added) && added->dtype == problem.out.dtype));
  }

  int64_t units() const override { return problem_.m * line(); }

  // What is packed is packed for every part.
  Lines lines() const override {
    const bool packs = !reads_b_in_place(
        {nullptr, problem_.b.dtype, problem_.round_to_half ? ACL_FLOAT16 : problem_.b.dtype,
         problem_.b.row_stride, problem_.b.column_stride},
        std::min(problem_.m, kLinesAtOnce), width_);
    return {line(), packs ? problem_.m : std::min(problem_.m, kLinesAtOnce)};
  }

  size_t operand_count() const override { return problem_.addend ? 4 : 3; }
  Reach reach(size_t index) const override {
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
              part.begin / line(), part.rows, column, (part.end - part.begin) * width_, part.soon});
  }

 private:
  static constexpr int64_t kWidth = kPanel<float>;
  static constexpr int64_t kMostOfB = 1 << 18;     // elements: a quarter of a second-level cache
  static constexpr int64_t kLinesAtOnce = 1 << 6;  // for which b is read once from there

  int64_t line() const { return problem_.n / width_; }

  bool has_rows_of_a() const {
    return line() == 1 && problem_.a.column_stride == 1 && problem_.a.row_stride >= problem_.k;
  }

  void run_rows(const Run& run, const Part& part) const {
    ProductOperand a = matrix(run, problem_.a);
    std::vector<unsigned char> copy;
    if (overwrites_rows_of_a(run, part)) {
      const auto* const start = static_cast<const unsigned char*>(a.data);
      const auto* const from = row_of(a, part.begin);
      const auto* const end = row_of(a, part.end - 1) + row_bytes(a);
      copy.resize(static_cast<size_t>(end - start));
      std::copy(from, end, copy.begin() + (from - start));  // the rows before are others'
      a.data = copy.data();
    }
    multiply({problem_, run, 0, a, matrix(run, problem_.b), part.begin, part.end - part.begin, 0,
              problem_.n, part.soon});
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
            problem_.round_to_half ? ACL_FLOAT16 : view.dtype, view.row_stride, view.column_stride};
  }

  Reach units_of(const MatrixView& view, bool is_written) const {
    const int64_t bytes = width_ * static_cast<int64_t>(element_size(view.dtype));
    return {view.parameter, 0, bytes, bytes, is_written};
  }

  Reach rows_of_a() const {
    const auto size = static_cast<int64_t>(element_size(problem_.a.dtype));
    return {problem_.a.parameter, 0, problem_.a.row_stride * size, problem_.k * size, false};
  }

  static Reach all_of(const MatrixView& view, int64_t rows, int64_t columns) {
    int64_t first = 0;
    int64_t last = 0;
    for (const auto& [extent, stride] :
         {std::pair(rows, view.row_stride), std::pair(columns, view.column_stride)}) {
      (stride < 0 ? first : last) += (extent - 1) * stride;
    }
    const auto size = static_cast<int64_t>(element_size(view.dtype));
    return {view.parameter, first * size, 0, (last + 1 - first) * size, false};
  }

  MatmulProblem problem_;
  int64_t width_;  // of a unit
};

}  // namespace

Plan plan_matmul(const MatmulProblem& original) {
  MatmulProblem problem = original;
  if (count_elements(problem.batch) * problem.m * problem.n == 0) return {};
  if (problem.k == 0 || problem.alpha == 0) return plan_addend_only(problem);
  join_batch_into_rows(problem);
  if (has_vector(problem) && !is_small(problem)) return plan_vector(problem);
  Plan plan{[problem](const Run& run) { return run_product(problem, run); }};
  if (ProductSweep::suits(problem)) plan.sweep = std::make_shared<const ProductSweep>(problem);
  return plan;
}

}  // namespace aclgrad::ops
