// SPDX-License-Identifier: Apache-2.0
// Eigen is told not to start threads, and oneDNN sees one thread both when it makes a primitive (it
// fits the blocking to the number of threads) and when it runs one.
#define EIGEN_DONT_PARALLELIZE
#include "ops/kernels/gemm.h"

#include <omp.h>

#include <Eigen/Core>
#include <oneapi/dnnl/dnnl.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace aclgrad::ops {
namespace {

class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// Never destroyed: stream threads may still run while the program ends.
const dnnl::engine& cpu_engine() {
  static const auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

// FLOAT. oneDNN's gemm, rather than its matrix product primitive, because its order of addition
// does not depend on where rows lie; see gemm.h for the one exception.
class FloatProduct final : public Gemm::Product {
 public:
  explicit FloatProduct(const Gemm::Shape& shape) : shape_(shape) {}

  void run(const void* a, const void* b, void* c) const override {
    const OneThread one_thread;
    const bool a_by_rows = shape_.a.column == 1;
    const bool b_by_rows = shape_.b.column == 1;
    const dnnl_status_t status =
        dnnl_sgemm(a_by_rows ? 'N' : 'T', b_by_rows ? 'N' : 'T', shape_.m, shape_.n, shape_.k, 1,
                   static_cast<const float*>(a), a_by_rows ? shape_.a.row : shape_.a.column,
                   static_cast<const float*>(b), b_by_rows ? shape_.b.row : shape_.b.column, 0,
                   static_cast<float*>(c), shape_.c_row);
    if (status != dnnl_success) {
      throw std::runtime_error("oneDNN failed at a matrix product, status " +
                               std::to_string(static_cast<int>(status)));
    }
  }

 private:
  Gemm::Shape shape_;
};

// BF16, by oneDNN's primitive.
class Bfloat16Product final : public Gemm::Product {
 public:
  explicit Bfloat16Product(const Gemm::Shape& shape) {
    try {
      const OneThread one_thread;
      using Type = dnnl::memory::data_type;
      a_ = dnnl::memory::desc({shape.m, shape.k}, Type::bf16, {shape.a.row, shape.a.column});
      b_ = dnnl::memory::desc({shape.k, shape.n}, Type::bf16, {shape.b.row, shape.b.column});
      c_ = dnnl::memory::desc({shape.m, shape.n}, Type::f32, {shape.c_row, 1});
      dnnl::primitive_attr attributes;
      attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
      const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a_, b_, c_), attributes,
                                                     cpu_engine());
      scratchpad_ = description.scratchpad_desc();
      primitive_ = dnnl::matmul(description);
    } catch (const dnnl::error& error) {
      throw std::runtime_error(std::string("oneDNN cannot plan the matrix product: ") +
                               error.what());
    }
  }

  void run(const void* a, const void* b, void* c) const override {
    try {
      const OneThread one_thread;
      const dnnl::engine& engine = cpu_engine();
      dnnl::stream stream(engine);
      const dnnl::memory scratchpad(scratchpad_, engine, scratch(scratchpad_.get_size()));
      primitive_.execute(stream, {{DNNL_ARG_SRC, {a_, engine, const_cast<void*>(a)}},
                                  {DNNL_ARG_WEIGHTS, {b_, engine, const_cast<void*>(b)}},
                                  {DNNL_ARG_DST, {c_, engine, c}},
                                  {DNNL_ARG_SCRATCHPAD, scratchpad}});
      stream.wait();
    } catch (const dnnl::error& error) {
      throw std::runtime_error(std::string("oneDNN failed at a matrix product: ") + error.what());
    }
  }

 private:
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  static void* scratch(size_t size) {
    thread_local std::vector<Line> lines;
    if (lines.size() * sizeof(Line) < size) lines.resize(size / sizeof(Line) + 1);
    return lines.data();
  }

  dnnl::memory::desc a_, b_, c_, scratchpad_;
  dnnl::matmul primitive_;
};

template <int kOrder>
using DoubleMap = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, kOrder>,
                             Eigen::Unaligned, Eigen::OuterStride<>>;

template <int kOrder>
DoubleMap<kOrder> map(const void* data, int64_t rows, int64_t columns, int64_t stride) {
  return {static_cast<const double*>(data), rows, columns, Eigen::OuterStride<>(stride)};
}

// DOUBLE.
class EigenProduct final : public Gemm::Product {
 public:
  explicit EigenProduct(const Gemm::Shape& shape) : shape_(shape) {}

  void run(const void* a, const void* b, void* c) const override {
    constexpr int kRows = Eigen::RowMajor;
    constexpr int kColumns = Eigen::ColMajor;
    if (shape_.a.column == 1) {
      by_b(map<kRows>(a, shape_.m, shape_.k, shape_.a.row), b, c);
    } else {
      by_b(map<kColumns>(a, shape_.m, shape_.k, shape_.a.column), b, c);
    }
  }

 private:
  template <class A>
  void by_b(const A& a, const void* b, void* c) const {
    if (shape_.b.column == 1) {
      multiply(a, map<Eigen::RowMajor>(b, shape_.k, shape_.n, shape_.b.row), c);
    } else {
      multiply(a, map<Eigen::ColMajor>(b, shape_.k, shape_.n, shape_.b.column), c);
    }
  }

  template <class A, class B>
  void multiply(const A& a, const B& b, void* c) const {
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<Rows, Eigen::Unaligned, Eigen::OuterStride<>> result(
        static_cast<double*>(c), shape_.m, shape_.n, Eigen::OuterStride<>(shape_.c_row));
    result.noalias() = a * b;
  }

  Gemm::Shape shape_;
};

}  // namespace

bool make_gemm_strides(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                       GemmStrides& strides) {
  if (columns == 1) column_stride = 1;
  if (rows == 1) row_stride = column_stride == 1 ? columns : 1;
  strides = {row_stride, column_stride};
  const bool by_rows = column_stride == 1 && row_stride >= columns;
  const bool by_columns = row_stride == 1 && column_stride >= rows;
  return by_rows || by_columns;
}

bool has_bfloat16_gemm() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  return isa == dnnl::cpu_isa::avx512_core_bf16 || isa == dnnl::cpu_isa::avx512_core_amx;
}

Gemm::Gemm(const Shape& shape) {
  if (shape.dtype == ACL_DOUBLE) {
    product_ = std::make_shared<EigenProduct>(shape);
  } else if (shape.dtype == ACL_BF16) {
    product_ = std::make_shared<Bfloat16Product>(shape);
  } else {
    product_ = std::make_shared<FloatProduct>(shape);
  }
}

}  // namespace aclgrad::ops
