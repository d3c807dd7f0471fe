// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

class MatmulChecks : public AclTest {};

struct MatmulCall {
  TensorArgument self{ACL_FLOAT, {2, 3, 4}};
  TensorArgument mat2{ACL_FLOAT, {2, 4, 5}};
  TensorArgument out{ACL_FLOAT, {2, 3, 5}};
  int8_t type = 0;
};

TEST_F(MatmulChecks, ChecksComeInOrder) {
  expect_order<MatmulCall>(
      {},
      [&](const MatmulCall& c) {
        Tensors make;
        return plan(aclnnMatmulGetWorkspaceSize, make(c.self), make(c.mat2), make(c.out), c.type);
      },
      {{"null self", [](auto& c) { c.self.null = true; }, 161001, {"aclnnMatmul", "self"}},
       {"null mat2", [](auto& c) { c.mat2.null = true; }, 161001, {"aclnnMatmul", "mat2"}},
       {"null out", [](auto& c) { c.out.null = true; }, 161001, {"aclnnMatmul", "out"}},
       {"self dtype", [](auto& c) { c.self.dtype = ACL_INT32; }, 161002, {"self", "DT_INT32"}},
       {"mat2 dtype", [](auto& c) { c.mat2.dtype = ACL_INT8; }, 161002, {"mat2", "DT_INT8"}},
       {"out dtype", [](auto& c) { c.out.dtype = ACL_DOUBLE; }, 161002, {"out", "DT_DOUBLE"}},
       {"cubeMathType", [](auto& c) { c.type = 5; }, 161002, {"cubeMathType", "5"}},
       {"self rank",
        [](auto& c) { c.self.shape = {1, 1, 1, 1, 1, 3, 4}; },
        161002,
        {"self", "6 dimensions"}},
       {"mat2 rank",
        [](auto& c) { c.mat2.shape = {1, 1, 1, 1, 1, 4, 5}; },
        161002,
        {"mat2", "6 dimensions"}},
       {"0-d self", [](auto& c) { c.self.shape = {}; }, 161002, {"self", "1 dimension"}},
       {"0-d mat2", [](auto& c) { c.mat2.shape = {}; }, 161002, {"mat2", "1 dimension"}},
       {"inner size",
        [](auto& c) {
          if (c.self.shape.size() == 3) c.self.shape[2] = 7;
        },
        161002,
        {"self", "mat2", "must be equal"}},
       {"batch",
        [](auto& c) {
          if (c.self.shape.size() == 3) c.self.shape[0] = 3;
        },
        161002,
        {"self", "mat2", "broadcast"}},
       {"format",
        [](auto& c) { c.mat2.format = ACL_FORMAT_FRACTAL_NZ; },
        161002,
        {"mat2", "format"}},
       {"out shape",
        [](auto& c) {
          c.out.shape = {2, 5, 3};
        },
        161002,
        {"out", "[2, 3, 5]", "[2, 5, 3]"}}});
}

TEST_F(MatmulChecks, ADotProductHasOneElementAndAtMostOneDimension) {
  Array vector(ACL_FLOAT, {4});
  Array fine(ACL_FLOAT, {1}), wrong(ACL_FLOAT, {1, 1});
  EXPECT_EQ(
      plan(aclnnMatmulGetWorkspaceSize, vector.tensor(), vector.tensor(), fine.tensor(), int8_t{0})
          .status,
      0);
  EXPECT_TRUE(fails_with(161002, {"out", "[]", "[1, 1]"},
                         plan(aclnnMatmulGetWorkspaceSize, vector.tensor(), vector.tensor(),
                              wrong.tensor(), int8_t{0})));
}

TEST_F(MatmulChecks, NegativeCubeMathTypeIsRefused) {
  Array a(ACL_FLOAT, {2, 2});
  EXPECT_TRUE(fails_with(
      161002, {"aclnnMatmul", "cubeMathType", "-1"},
      plan(aclnnMatmulGetWorkspaceSize, a.tensor(), a.tensor(), a.tensor(), int8_t{-1})));
}

struct MmCall {
  TensorArgument self{ACL_FLOAT, {3, 4}};
  TensorArgument mat2{ACL_FLOAT, {4, 5}};
  TensorArgument out{ACL_FLOAT, {3, 5}};
  int8_t type = 0;
};

TEST_F(MatmulChecks, ChecksOfMmComeInOrder) {
  expect_order<MmCall>(
      {},
      [&](const MmCall& c) {
        Tensors make;
        return plan(aclnnMmGetWorkspaceSize, make(c.self), make(c.mat2), make(c.out), c.type);
      },
      {{"null out", [](auto& c) { c.out.null = true; }, 161001, {"aclnnMm", "out"}},
       {"null self", [](auto& c) { c.self.null = true; }, 161001, {"aclnnMm", "self"}},
       {"null mat2", [](auto& c) { c.mat2.null = true; }, 161001, {"aclnnMm", "mat2"}},
       {"self dtype", [](auto& c) { c.self.dtype = ACL_INT32; }, 161002, {"self", "DT_INT32"}},
       {"mat2 dtype", [](auto& c) { c.mat2.dtype = ACL_INT8; }, 161002, {"mat2", "DT_INT8"}},
       {"out dtype", [](auto& c) { c.out.dtype = ACL_DOUBLE; }, 161002, {"out", "DT_DOUBLE"}},
       {"cubeMathType", [](auto& c) { c.type = 5; }, 161002, {"cubeMathType", "5"}},
       {"mat2 rank",
        [](auto& c) {
          c.mat2.shape = {1, 4, 5};
        },
        161002,
        {"mat2", "2 dimensions"}},
       {"self rank",
        [](auto& c) {
          c.self.shape = {1, 3, 4};
        },
        161002,
        {"self", "2 dimensions"}},
       {"inner size",
        [](auto& c) {
          if (c.mat2.shape.size() == 2) c.mat2.shape = {7, 5};
        },
        161002,
        {"self", "mat2", "[7, 5]"}},
       {"out rank",
        [](auto& c) {
          c.out.shape = {1, 3, 5};
        },
        161002,
        {"out", "2 dimensions"}},
       {"out shape",
        [](auto& c) {
          if (c.out.shape.size() == 2) c.out.shape = {5, 3};
        },
        161002,
        {"out", "[3, 5]", "[5, 3]"}}});
}

TEST_F(MatmulChecks, OldProductsKnowNoBf16AndNoFullFloat) {
  for (const char* soc : {"Ascend910A", "Ascend310P3"}) {
    ASSERT_EQ(aclgradSetSocName(soc), 0);
    Array b(ACL_BF16, {2, 2});
    EXPECT_TRUE(fails_with(
        161002, {"self", "DT_BF16"},
        plan(aclnnMatmulGetWorkspaceSize, b.tensor(), b.tensor(), b.tensor(), int8_t{1})));
    Array f(ACL_FLOAT, {2, 2});
    for (int8_t type : {int8_t{0}, int8_t{3}}) {
      EXPECT_TRUE(
          fails_with(161002, {"cubeMathType", "DT_FLOAT"},
                     plan(aclnnMatmulGetWorkspaceSize, f.tensor(), f.tensor(), f.tensor(), type)));
    }
    EXPECT_EQ(
        plan(aclnnMatmulGetWorkspaceSize, f.tensor(), f.tensor(), f.tensor(), int8_t{1}).status, 0);
  }
}

TEST_F(MatmulChecks, ViewsOutsideTheirStorageAreRefused) {
  const Array outside(ACL_FLOAT, {2, 3}, Array::Layout{{5, 2}, 0, 4});
  const Array b(ACL_FLOAT, {3, 2});
  Array out(ACL_FLOAT, {2, 2});
  EXPECT_TRUE(fails_with(
      561103, {"aclnnMatmul", "ViewShape overlap", "self"},
      plan(aclnnMatmulGetWorkspaceSize, outside.tensor(), b.tensor(), out.tensor(), int8_t{0})));
}

}  // namespace
}  // namespace aclgrad::testing
