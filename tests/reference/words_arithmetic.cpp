// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops.h"
#include "tests/reference/words.h"

namespace aclgrad::reference {
namespace {

std::function<Recorded(Graph&)> of(std::function<Value(const Value&)> function) {
  return [function](Graph& graph) {
    const Value x = graph.input("x", {2, 4});
    return Recorded{function(x), {x}};
  };
}

std::function<Recorded(Graph&)> of_two(std::function<Value(const Value&, const Value&)> function,
                                       Shape a_shape = {2, 4}, Shape b_shape = {2, 4}) {
  return [=](Graph& graph) {
    const Value a = graph.input("a", a_shape);
    const Value b = graph.input("b", b_shape);
    return Recorded{function(a, b), {a, b}};
  };
}

}  // namespace

Section arithmetic() {
  return {{"Arithmetic and movement", "算术与搬运"},
          {{{"aclnnAdd", "aclnnInplaceAdd"},
            {"self + alpha·other, broadcasting", "self + alpha·other，支持广播"},
            "add(a, b, alpha), a + b",
            of_two([](const Value& a, const Value& b) { return add(a, b, 2); })},
           {{"aclnnSub", "aclnnInplaceSub"},
            {"self − alpha·other, broadcasting", "self − alpha·other，支持广播"},
            "sub(a, b, alpha), a - b",
            of_two([](const Value& a, const Value& b) { return sub(a, b, 2); })},
           {{"aclnnMul", "aclnnInplaceMul"},
            {"self·other, broadcasting", "self·other，支持广播"},
            "mul(a, b), a * b",
            of_two([](const Value& a, const Value& b) { return mul(a, b); })},
           {{"aclnnAdds", "aclnnInplaceAdds"},
            {"self + alpha·scalar", "self + alpha·标量"},
            "add(a, 2.0)",
            of([](const Value& a) { return add(a, 2.0); })},
           {{"aclnnSubs", "aclnnInplaceSubs"}, {"self − alpha·scalar", "self − alpha·标量"}},
           {{"aclnnMuls", "aclnnInplaceMuls"},
            {"self·scalar", "self·标量"},
            "mul(a, 2.0)",
            of([](const Value& a) { return mul(a, 2.0); })},
           {{"aclnnCast"},
            {"conversion to a dtype", "转换数据类型"},
            "cast(x, dtype)",
            of([](const Value& x) { return cast(x, DType::float16); })},
           {{"aclnnInplaceCopy"},
            {"broadcast copy with conversion", "广播拷贝，必要时转换类型"},
            "copy(x), contiguous(x), assign(variable, x)",
            of([](const Value& x) { return copy(x); })},
           {{"aclnnInplaceZero"}, {"zeros", "填充 0"}, "zeros(graph, shape)"},
           {{"aclnnInplaceFillScalar"}, {"a constant", "填充常数"}, "full(graph, shape, value)"}}};
}

Section products() {
  return {{"Products and reductions", "矩阵乘与规约"},
          {{{"aclnnMatmul"},
            {"matrix product of ranks 1 to 6, batches broadcast", "1 到 6 维的矩阵乘，批次维广播"},
            "matmul(a, b)",
            of_two([](const Value& a, const Value& b) { return matmul(a, b); }, {2, 4}, {4, 3})},
           {{"aclnnMm"}, {"matrix product of two matrices", "两个矩阵相乘"}},
           {{"aclnnAddmm", "aclnnInplaceAddmm"},
            {"beta·self + alpha·(mat1 @ mat2)", "beta·self + alpha·(mat1 @ mat2)"},
            "addmm(c, a, b, beta, alpha), linear(x, w, b)",
            [](Graph& graph) {
              const Value c = graph.input("c", {2, 3});
              const Value a = graph.input("a", {2, 4});
              const Value b = graph.input("b", {4, 3});
              return Recorded{addmm(c, a, b, 2, 3), {c, a, b}};
            }},
           {{"aclnnReduceSum"},
            {"sum over dimensions; an empty list: over all", "沿若干维求和；列表为空表示全部"},
            "reduce_sum(x, axes, keep)",
            of([](const Value& x) { return reduce_sum(x, {0}); })},
           {{"aclnnMean"},
            {"mean over dimensions; an empty list: over all", "沿若干维求平均；列表为空表示全部"},
            "mean(x, axes, keep)",
            of([](const Value& x) { return mean(x, {0}); })},
           {{"aclnnMeanV2"},
            {"mean in self's dtype; with noopWithEmptyAxes an empty list reduces nothing",
             "以 self 的类型求平均；noopWithEmptyAxes 为真时空列表不规约"}}}};
}

}  // namespace aclgrad::reference
