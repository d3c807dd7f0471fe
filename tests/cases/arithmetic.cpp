// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

constexpr float kFactor = -3;  // exact in every type, integers included

const std::vector<aclDataType> kTypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE,
                                         ACL_INT8,  ACL_INT16,   ACL_INT32, ACL_INT64};

Case binary(const std::string& api, PhaseOne phase_one, PhaseTwo phase_two, bool in_place,
            std::function<long double(long double, long double)> f) {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {
      .api = api,
      .attributes = "",
      .dtypes = kTypes,
      .inputs = {{shape, -9, 9}, {shape, -9, 9}},
      .outputs = {{.shape = shape, .aliases = in_place ? std::optional<size_t>(0) : std::nullopt}},
      .phase_one = std::move(phase_one),
      .phase_two = phase_two,
      .reference = elementwise([f](auto x) { return f(x[0], x[1]); })};
}

Case with_scalar(const std::string& api, PhaseOne phase_one, PhaseTwo phase_two, bool in_place,
                 std::function<long double(long double)> f) {
  const std::vector<int64_t> shape = {kN, 3, 4};
  return {
      .api = api,
      .attributes = "",
      .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE},
      .inputs = {{shape, -9, 9}},
      .outputs = {{.shape = shape, .aliases = in_place ? std::optional<size_t>(0) : std::nullopt}},
      .phase_one = std::move(phase_one),
      .phase_two = phase_two,
      .reference = elementwise([f](auto x) { return f(x[0]); })};
}

long double sum(long double a, long double b) { return a + kFactor * b; }
long double difference(long double a, long double b) { return a - kFactor * b; }
long double product(long double a, long double b) { return a * b; }

}  // namespace

std::vector<Case> arithmetic_cases() {
  const aclScalar* factor = scalar(kFactor);
  const aclScalar* alpha = integer_scalar(static_cast<int64_t>(kFactor));
  const aclScalar* two = scalar(2);
  std::vector<Case> rows = {
      binary(
          "aclnnAdd",
          [=](auto t, auto* size, auto** executor) {
            return aclnnAddGetWorkspaceSize(t[0], t[1], alpha, t[2], size, executor);
          },
          aclnnAdd, false, sum),
      binary(
          "aclnnInplaceAdd",
          [=](auto t, auto* size, auto** executor) {
            return aclnnInplaceAddGetWorkspaceSize(t[0], t[1], alpha, size, executor);
          },
          aclnnInplaceAdd, true, sum),
      binary(
          "aclnnSub",
          [=](auto t, auto* size, auto** executor) {
            return aclnnSubGetWorkspaceSize(t[0], t[1], alpha, t[2], size, executor);
          },
          aclnnSub, false, difference),
      binary(
          "aclnnInplaceSub",
          [=](auto t, auto* size, auto** executor) {
            return aclnnInplaceSubGetWorkspaceSize(t[0], t[1], alpha, size, executor);
          },
          aclnnInplaceSub, true, difference),
      binary(
          "aclnnMul",
          [](auto t, auto* size, auto** executor) {
            return aclnnMulGetWorkspaceSize(t[0], t[1], t[2], size, executor);
          },
          aclnnMul, false, product),
      binary(
          "aclnnInplaceMul",
          [](auto t, auto* size, auto** executor) {
            return aclnnInplaceMulGetWorkspaceSize(t[0], t[1], size, executor);
          },
          aclnnInplaceMul, true, product),
      with_scalar(
          "aclnnAdds",
          [=](auto t, auto* size, auto** executor) {
            return aclnnAddsGetWorkspaceSize(t[0], two, factor, t[1], size, executor);
          },
          aclnnAdds, false, [](long double x) { return x + kFactor * 2; }),
      with_scalar(
          "aclnnInplaceAdds",
          [=](auto t, auto* size, auto** executor) {
            return aclnnInplaceAddsGetWorkspaceSize(t[0], two, factor, size, executor);
          },
          aclnnInplaceAdds, true, [](long double x) { return x + kFactor * 2; }),
      with_scalar(
          "aclnnSubs",
          [=](auto t, auto* size, auto** executor) {
            return aclnnSubsGetWorkspaceSize(t[0], two, factor, t[1], size, executor);
          },
          aclnnSubs, false, [](long double x) { return x - kFactor * 2; }),
      with_scalar(
          "aclnnInplaceSubs",
          [=](auto t, auto* size, auto** executor) {
            return aclnnInplaceSubsGetWorkspaceSize(t[0], two, factor, size, executor);
          },
          aclnnInplaceSubs, true, [](long double x) { return x - kFactor * 2; }),
      with_scalar(
          "aclnnMuls",
          [=](auto t, auto* size, auto** executor) {
            return aclnnMulsGetWorkspaceSize(t[0], factor, t[1], size, executor);
          },
          aclnnMuls, false, [](long double x) { return x * kFactor; }),
      with_scalar(
          "aclnnInplaceMuls",
          [=](auto t, auto* size, auto** executor) {
            return aclnnInplaceMulsGetWorkspaceSize(t[0], factor, size, executor);
          },
          aclnnInplaceMuls, true, [](long double x) { return x * kFactor; })};
  // A product of two values up to 9 stays within INT8; a broadcast second operand has its own row.
  Case broadcast = rows[4];
  broadcast.attributes = "broadcast";
  broadcast.inputs[1].shape = {3, 1};
  broadcast.reference = [](const Arrays& inputs) {
    Array out = inputs[0];
    for (size_t i = 0; i < out.values.size(); ++i) out.values[i] *= inputs[1].values[i / 4 % 3];
    return Arrays{out};
  };
  rows.push_back(broadcast);
  return rows;
}

}  // namespace aclgrad::cases
