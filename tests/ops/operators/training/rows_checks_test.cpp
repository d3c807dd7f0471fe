// SPDX-License-Identifier: Apache-2.0
// The order of checks of reductions and of operators along a dimension.
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "aclnnop/aclnn_topk.h"
#include "aclnnop/aclnn_var_mean.h"
#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

class RowsChecks : public AclTest {};

struct Call {
  TensorArgument self{ACL_FLOAT, {2, 3}};
  TensorArgument out{ACL_FLOAT, {2}};
  TensorArgument second{ACL_INT64, {2}};
  std::vector<int64_t> dims = {1};
  bool null_dims = false;
  int64_t dim = 1;
  int64_t k = 2;
  aclDataType dtype = ACL_FLOAT;

  const aclIntArray* array() {
    made = std::make_shared<IntArray>(dims);
    return null_dims ? nullptr : made->get();
  }
  std::shared_ptr<IntArray> made = nullptr;
};

using Check = Violation<Call>;

Check null(const char* name, TensorArgument Call::*tensor) {
  return {name, [tensor](Call& c) { (c.*tensor).null = true; }, 161001, {name, "null"}};
}
Check dtype(const char* name, TensorArgument Call::*tensor, aclDataType wrong, const char* word) {
  return {"dtype", [=](Call& c) { (c.*tensor).dtype = wrong; }, 161002, {name, word}};
}
// Of 9 dimensions, which a wrong shape leaves alone.
Check rank(const char* name, TensorArgument Call::*tensor) {
  return {"rank",
          [tensor](Call& c) {
            if ((c.*tensor).shape.size() < 9) (c.*tensor).shape = ranked(9);
          },
          161002,
          {name, "more than 8"}};
}
Check shape(const char* name, TensorArgument Call::*tensor) {
  return {"shape",
          [tensor](Call& c) {
            if ((c.*tensor).shape.size() < 9) (c.*tensor).shape = {7};
          },
          161002,
          {name, "[7]"}};
}
Check dims(std::vector<int64_t> wrong, const char* word) {
  return {"dims", [wrong](Call& c) { c.dims = wrong; }, 161002, {"dim", word}};
}
const Check kDim{"dim", [](Call& c) { c.dim = 9; }, 161002, {"dim must be within", "9"}};

TEST_F(RowsChecks, OfAmax) {
  expect_order<Call>(
      {},
      [&](Call c) {
        Tensors make;
        return plan(aclnnAmaxGetWorkspaceSize, make(c.self), c.array(), false, make(c.out));
      },
      {null("self", &Call::self),
       {"null dim", [](Call& c) { c.null_dims = true; }, 161001, {"dim", "null"}},
       null("out", &Call::out),
       dtype("out", &Call::out, ACL_FLOAT16, "DT_FLOAT16"),
       {"dtype of both",
        [](Call& c) { c.self.dtype = c.out.dtype = ACL_COMPLEX64; },
        161002,
        {"self", "DT_COMPLEX64"}},
       dims({9}, "an entry 9"),
       dims({1, 1}, "dimension 1 twice"),
       {"no elements", [](Call& c) { c.self.shape[1] = 0; }, 161002, {"dim", "size 0"}},
       {"ranks", [](Call& c) { c.self.shape.resize(9, 1); }, 161002, {"self", "more than 8"}},
       rank("out", &Call::out),
       shape("out", &Call::out)});
}

TEST_F(RowsChecks, OfMaxDim) {
  expect_order<Call>(
      {},
      [&](const Call& c) {
        Tensors make;
        return plan(aclnnMaxDimGetWorkspaceSize, make(c.self), c.dim, false, make(c.out),
                    make(c.second));
      },
      {null("self", &Call::self), null("out", &Call::out), null("indices", &Call::second),
       dtype("self", &Call::self, ACL_DOUBLE, "DT_DOUBLE"),
       dtype("out", &Call::out, ACL_FLOAT16, "DT_FLOAT16"),
       dtype("indices", &Call::second, ACL_BOOL, "DT_BOOL"), rank("self", &Call::self),
       rank("out", &Call::out), rank("indices", &Call::second), kDim, shape("out", &Call::out),
       shape("indices", &Call::second)});
}

TEST_F(RowsChecks, OfArgMax) {
  expect_order<Call>({},
                     [&](const Call& c) {
                       Tensors make;
                       return plan(aclnnArgMaxGetWorkspaceSize, make(c.self), c.dim, false,
                                   make(c.second));
                     },
                     {null("self", &Call::self), null("out", &Call::second),
                      dtype("self", &Call::self, ACL_BOOL, "DT_BOOL"),
                      dtype("out", &Call::second, ACL_BOOL, "DT_BOOL"), rank("self", &Call::self),
                      rank("out", &Call::second), kDim, shape("out", &Call::second)});
}

TEST_F(RowsChecks, OfVarMean) {
  Call good;
  good.second.dtype = ACL_FLOAT16;
  expect_order<Call>(
      good,
      [&](Call c) {
        Tensors make;
        return plan(aclnnVarMeanGetWorkspaceSize, make(c.self), c.array(), int64_t{1}, false,
                    make(c.out), make(c.second));
      },
      {null("self", &Call::self), null("varOut", &Call::out), null("meanOut", &Call::second),
       dtype("self", &Call::self, ACL_INT32, "DT_INT32"),
       dtype("varOut", &Call::out, ACL_INT32, "DT_INT32"),
       dtype("meanOut", &Call::second, ACL_DOUBLE, "DT_DOUBLE"), dims({9}, "an entry 9"),
       dims({0, 0}, "dimension 0 twice"), rank("self", &Call::self), shape("varOut", &Call::out),
       shape("meanOut", &Call::second)});
}

TEST_F(RowsChecks, OfNorm) {
  const Scalar p(2.0f), complex(1.0f, 2.0f);
  expect_order<Call>({},
                     [&](Call c) {
                       Tensors make;
                       return plan(aclnnNormGetWorkspaceSize, make(c.self),
                                   c.k == 0 ? nullptr : (c.k == 1 ? complex : p).get(), c.array(),
                                   false, make(c.out));
                     },
                     {null("self", &Call::self),
                      {"null p", [](Call& c) { c.k = 0; }, 161001, {"pScalar", "null"}},
                      {"null dim", [](Call& c) { c.null_dims = true; }, 161001, {"dim", "null"}},
                      null("out", &Call::out),
                      dtype("self", &Call::self, ACL_INT32, "DT_INT32"),
                      dtype("out", &Call::out, ACL_INT32, "DT_INT32"),
                      {"complex p",
                       [](Call& c) {
                         if (c.k == 2) c.k = 1;
                       },
                       161002,
                       {"pScalar", "DT_COMPLEX64"}},
                      dims({9}, "an entry 9"),
                      dims({0, 0}, "dimension 0 twice"),
                      rank("self", &Call::self),
                      rank("out", &Call::out),
                      shape("out", &Call::out)});
}

TEST_F(RowsChecks, OfCumsum) {
  Call good;
  good.out.shape = good.self.shape;
  expect_order<Call>(good,
                     [&](const Call& c) {
                       Tensors make;
                       return plan(aclnnCumsumGetWorkspaceSize, make(c.self), c.dim, c.dtype,
                                   make(c.out));
                     },
                     {null("self", &Call::self),
                      null("out", &Call::out),
                      dtype("out", &Call::out, ACL_BOOL, "DT_BOOL"),
                      {"dtype", [](Call& c) { c.dtype = ACL_INT32; }, 161002, {"out", "DT_INT32"}},
                      dtype("self", &Call::self, ACL_COMPLEX64, "DT_COMPLEX64"),
                      {"shape", [](Call& c) { c.out.shape = {7}; }, 161002, {"out", "[7]"}},
                      {"ranks",
                       [](Call& c) {
                         c.self.shape = ranked(9);
                         if (c.out.shape.size() != 1) c.out.shape = ranked(9);
                       },
                       161002,
                       {"self", "more than 8"}},
                      kDim});
  expect_order<Call>(
      good,
      [&](const Call& c) {
        Tensors make;
        return plan(aclnnCumsumV2GetWorkspaceSize, make(c.self), c.dim, false, true, make(c.out));
      },
      {null("self", &Call::self), null("out", &Call::out),
       dtype("out", &Call::out, ACL_BOOL, "DT_BOOL"),
       dtype("self", &Call::self, ACL_INT32, "DT_INT32"), shape("out", &Call::out), kDim});
}

TEST_F(RowsChecks, OfTopk) {
  Call good;
  good.out.shape = good.second.shape = {2, 2};
  expect_order<Call>(good,
                     [&](const Call& c) {
                       Tensors make;
                       return plan(aclnnTopkGetWorkspaceSize, make(c.self), c.k, c.dim, true, true,
                                   make(c.out), make(c.second));
                     },
                     {null("self", &Call::self),
                      null("valuesOut", &Call::out),
                      null("indicesOut", &Call::second),
                      kDim,
                      {"k", [](Call& c) { c.k = 4; }, 161002, {"k must be within [0, 3]", "4"}},
                      dtype("self", &Call::self, ACL_BOOL, "DT_BOOL"),
                      dtype("valuesOut", &Call::out, ACL_FLOAT16, "DT_FLOAT16"),
                      dtype("indicesOut", &Call::second, ACL_INT32, "DT_INT32"),
                      {"ranks",
                       [](Call& c) {
                         // With room for k along dim.
                         c.self.shape = ranked(9);
                         c.self.shape[1] = 3;
                       },
                       161002,
                       {"self", "more than 8"}},
                      rank("valuesOut", &Call::out),
                      rank("indicesOut", &Call::second),
                      shape("valuesOut", &Call::out),
                      shape("indicesOut", &Call::second)});
}

// ---- RMS normalization, which finds wrong shapes when it plans ----------------------------------

struct RmsCall {
  TensorArgument dy{ACL_FLOAT16, {2, 3}}, x{ACL_FLOAT16, {2, 3}}, gamma{ACL_FLOAT, {3}};
  TensorArgument rstd{ACL_FLOAT, {2, 1}}, out{ACL_FLOAT16, {2, 3}}, dgamma{ACL_FLOAT, {3}};
};

using RmsCheck = Violation<RmsCall>;

RmsCheck null(const char* name, TensorArgument RmsCall::*tensor) {
  return {name, [tensor](RmsCall& c) { (c.*tensor).null = true; }, 161001, {name, "null"}};
}
RmsCheck dtype(const char* name, TensorArgument RmsCall::*tensor, aclDataType wrong,
               const char* word) {
  return {"dtype", [=](RmsCall& c) { (c.*tensor).dtype = wrong; }, 161002, {name, word}};
}
RmsCheck shape(const char* name, TensorArgument RmsCall::*tensor, const Shape& wrong,
               const char* word) {
  return {"shape", [=](RmsCall& c) { (c.*tensor).shape = wrong; }, 561002, {name, word}};
}

TEST_F(RowsChecks, OfRmsNorm) {
  expect_order<RmsCall>(
      {},
      [&](const RmsCall& c) {
        Tensors make;
        return plan(aclnnRmsNormGetWorkspaceSize, make(c.x), make(c.gamma), 1e-6, make(c.out),
                    make(c.rstd));
      },
      {null("x", &RmsCall::x), null("gamma", &RmsCall::gamma), null("yOut", &RmsCall::out),
       null("rstdOut", &RmsCall::rstd), dtype("x", &RmsCall::x, ACL_INT32, "DT_INT32"),
       dtype("gamma", &RmsCall::gamma, ACL_BF16, "DT_BF16"),
       dtype("yOut", &RmsCall::out, ACL_FLOAT, "DT_FLOAT"),
       dtype("rstdOut", &RmsCall::rstd, ACL_FLOAT16, "DT_FLOAT16"),
       shape("x", &RmsCall::x, ranked(9), "more than 8"),
       shape("gamma", &RmsCall::gamma, {2}, "[2]"), shape("yOut", &RmsCall::out, {3, 2}, "[3, 2]"),
       shape("rstdOut", &RmsCall::rstd, {2}, "[2]")});
}

TEST_F(RowsChecks, OfRmsNormGrad) {
  expect_order<RmsCall>(
      {},
      [&](const RmsCall& c) {
        Tensors make;
        return plan(aclnnRmsNormGradGetWorkspaceSize, make(c.dy), make(c.x), make(c.rstd),
                    make(c.gamma), make(c.out), make(c.dgamma));
      },
      {null("dy", &RmsCall::dy), null("x", &RmsCall::x), null("rstd", &RmsCall::rstd),
       null("gamma", &RmsCall::gamma), null("dxOut", &RmsCall::out),
       null("dgammaOut", &RmsCall::dgamma), dtype("dy", &RmsCall::dy, ACL_INT32, "DT_INT32"),
       dtype("x", &RmsCall::x, ACL_FLOAT, "DT_FLOAT"),
       dtype("rstd", &RmsCall::rstd, ACL_FLOAT16, "DT_FLOAT16"),
       dtype("gamma", &RmsCall::gamma, ACL_BF16, "DT_BF16"),
       dtype("dxOut", &RmsCall::out, ACL_FLOAT, "DT_FLOAT"),
       dtype("dgammaOut", &RmsCall::dgamma, ACL_FLOAT16, "DT_FLOAT16"),
       shape("x", &RmsCall::x, ranked(9), "more than 8"),
       shape("dy", &RmsCall::dy, {3, 2}, "[3, 2]"), shape("gamma", &RmsCall::gamma, {2}, "[2]"),
       shape("rstd", &RmsCall::rstd, {2}, "[2]"), shape("dxOut", &RmsCall::out, {3, 2}, "[3, 2]"),
       shape("dgammaOut", &RmsCall::dgamma, {1, 3}, "[1, 3]")});
}

}  // namespace
}  // namespace aclgrad::testing
