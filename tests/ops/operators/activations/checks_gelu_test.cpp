// SPDX-License-Identifier: Apache-2.0
// The order of checks of GEGLU and GELU.
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "tests/ops/operators/activations/checks.h"

namespace aclgrad::testing {
namespace {

// ---- GEGLU --------------------------------------------------------------------------------------

const Shape kWhole{2, 4, 3};  // split along dimension 1
const Shape kHalf{2, 2, 3};

CallArguments geglu_call(std::initializer_list<const char*> whole,
                         std::initializer_list<const char*> half) {
  CallArguments call;
  for (const char* name : whole) call.set_shape(name, kWhole);
  for (const char* name : half) call.set_shape(name, kHalf);
  call.integers = {{"dim", 1}, {"approximate", 0}, {"activateLeft", 1}};
  return call;
}

Violation bad_integer(const std::string& name, int64_t value) {
  return {name, [=](CallArguments& call) { call.integers[name] = value; }, 161002, {name}};
}

Violation shapes(const std::string& what, std::initializer_list<const char*> names, Shape shape,
                 std::vector<std::string> pieces) {
  return {what,
          [=, list = std::vector<std::string>(names.begin(), names.end())](CallArguments& call) {
            for (const std::string& name : list) call.set_shape(name, shape);
          },
          161002, std::move(pieces)};
}

std::vector<Violation> geglu_violations(int64_t bad_dim) {
  return {null_tensor("self"),
          null_tensor("out"),
          null_tensor("outGelu"),
          unlisted_dtype("self"),
          unlisted_dtype("out"),
          unlisted_dtype("outGelu"),
          other_dtype("out", "self"),
          other_dtype("outGelu", "self"),
          too_many_dimensions({"self"}, kWhole),
          too_many_dimensions({"out"}, kHalf),
          too_many_dimensions({"outGelu"}, kHalf),
          bad_integer("dim", bad_dim),
          shapes("odd split", {"self"}, {2, 5, 3}, {"self", "even", "[2, 5, 3]"}),
          shapes("split of out", {"out"}, {2, 3, 3}, {"tensor out must have size 2", "[2, 3, 3]"}),
          shapes("split of outGelu", {"outGelu"}, {2, 3, 3}, {"tensor outGelu must have size 2"}),
          shapes("rank of out", {"out"}, {2, 2, 3, 1}, {"tensor out must have 3 dimensions"}),
          shapes("rank of outGelu", {"outGelu"}, {2, 2, 3, 1},
                 {"tensor outGelu must have 3 dimensions"}),
          shapes("other sizes of out", {"out"}, {2, 2, 4}, {"tensor out must have self's size"}),
          shapes("other sizes of outGelu", {"outGelu"}, {1, 2, 3},
                 {"tensor outGelu must have self's size"}),
          bad_integer("approximate", 2)};
}

TEST_F(Checks, GeGlu) {
  check({"aclnnGeGlu", geglu_call({"self"}, {"out", "outGelu"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeGluGetWorkspaceSize(o.tensor("self"), o.integer("dim"),
                                             o.integer("approximate"), o.tensor("out"),
                                             o.tensor("outGelu"), size, executor);
         },
         geglu_violations(3)});
}

TEST_F(Checks, GeGluV3) {
  check({"aclnnGeGluV3", geglu_call({"self"}, {"out", "outGelu"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeGluV3GetWorkspaceSize(o.tensor("self"), o.integer("dim"),
                                               o.integer("approximate"),
                                               o.integer("activateLeft") != 0, o.tensor("out"),
                                               o.tensor("outGelu"), size, executor);
         },
         geglu_violations(-4)});
}

std::vector<Violation> geglu_backward_violations(int64_t bad_dim) {
  return {null_tensor("gradOutput"),
          null_tensor("self"),
          null_tensor("gelu"),
          null_tensor("gradInput"),
          unlisted_dtype("gradOutput"),
          other_dtype("self", "gradOutput"),
          other_dtype("gelu", "gradOutput"),
          other_dtype("gradInput", "gradOutput"),
          too_many_dimensions({"gradOutput"}, kHalf),
          too_many_dimensions({"self"}, kWhole),
          too_many_dimensions({"gelu"}, kHalf),
          too_many_dimensions({"gradInput"}, kWhole),
          unlike_shape("gelu", "gradOutput", {2, 7, 3}),
          unlike_shape("gradInput", "self", {2, 7, 3}),
          bad_integer("dim", bad_dim),
          shapes("rank of gradOutput", {"gradOutput", "gelu"}, {2, 2, 3, 1},
                 {"gradOutput", "3 dimensions"}),
          shapes("sizes before", {"gradOutput", "gelu"}, {3, 2, 3}, {"gradOutput", "before"}),
          shapes("halved size", {"gradOutput", "gelu"}, {2, 3, 3}, {"gradOutput", "half"}),
          shapes("sizes after", {"gradOutput", "gelu"}, {2, 2, 4}, {"gradOutput", "after"}),
          bad_integer("approximate", -1)};
}

TEST_F(Checks, GeGluBackward) {
  check({"aclnnGeGluBackward", geglu_call({"self", "gradInput"}, {"gradOutput", "gelu"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeGluBackwardGetWorkspaceSize(
               o.tensor("gradOutput"), o.tensor("self"), o.tensor("gelu"), o.integer("dim"),
               o.integer("approximate"), o.tensor("gradInput"), size, executor);
         },
         geglu_backward_violations(-4)});
}

TEST_F(Checks, GeGluV3Backward) {
  check({"aclnnGeGluV3Backward", geglu_call({"self", "gradInput"}, {"gradOutput", "gelu"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeGluV3BackwardGetWorkspaceSize(
               o.tensor("gradOutput"), o.tensor("self"), o.tensor("gelu"), o.integer("dim"),
               o.integer("approximate"), o.integer("activateLeft") != 0, o.tensor("gradInput"),
               size, executor);
         },
         geglu_backward_violations(3)});
}

TEST_F(Checks, GeGluBackwardRefusesAnOddSplit) {
  const Array self(ACL_FLOAT, {5});
  const Array half(ACL_FLOAT, {2});
  EXPECT_TRUE(fails_with(161002, {"aclnnGeGluBackward", "half"},
                         plan(aclnnGeGluBackwardGetWorkspaceSize, half.tensor(), self.tensor(),
                              half.tensor(), int64_t{0}, int64_t{0}, self.tensor())));
}

// ---- GELU ---------------------------------------------------------------------------------------

const Shape kShape{2, 3};

Violation bfloat_without(std::initializer_list<const char*> names) {
  return {"BF16 on a product without it",
          [list = std::vector<std::string>(names.begin(), names.end())](CallArguments& call) {
            for (const std::string& name : list) call.set_dtype(name, ACL_BF16);
            call.soc = "Ascend910A";
          },
          161002,
          {"DT_BF16", "does not know"}};
}

Violation private_format(const std::string& name) {
  return {"format of " + name,
          [=](CallArguments& call) { call.tensors[name].format = ACL_FORMAT_FRACTAL_NZ; },
          161002,
          {name, "private format"}};
}

std::vector<Violation> gelu_violations(const char* self, const char* out) {
  return {null_tensor(self),
          null_tensor(out),
          bfloat_without({self}),
          unlisted_dtype(self),
          other_dtype(out, self),
          private_format(self),
          private_format(out),
          too_many_dimensions({self}, kShape),
          too_many_dimensions({out}, kShape),
          unlike_shape(out, self, {3, 2})};
}

CallArguments gelu_call(std::initializer_list<const char*> tensors) {
  CallArguments call;
  for (const char* name : tensors) call.set_shape(name, kShape);
  call.text = "tanh";
  return call;
}

TEST_F(Checks, Gelu) {
  check({"aclnnGelu", gelu_call({"self", "out"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeluGetWorkspaceSize(o.tensor("self"), o.tensor("out"), size, executor);
         },
         gelu_violations("self", "out")});
}

TEST_F(Checks, GeluV2) {
  check({"aclnnGeluV2", gelu_call({"x", "y"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeluV2GetWorkspaceSize(o.tensor("x"), 0, o.tensor("y"), size, executor);
         },
         gelu_violations("x", "y")});
}

std::vector<Violation> gelu_backward_violations() {
  const Violation no_common_type{"no common dtype",
                                 [](CallArguments& call) {
                                   call.set_dtype("gradOutput", ACL_UINT16);
                                   call.set_dtype("self", ACL_FLOAT);
                                 },
                                 161002,
                                 {"gradOutput", "self", "DT_UINT16", "common"}};
  const Violation integers{"common dtype not listed",
                           [](CallArguments& call) {
                             call.set_dtype("gradOutput", ACL_INT32);
                             call.set_dtype("self", ACL_INT8);
                           },
                           161002,
                           {"gradOutput", "self", "promote to DT_INT32"}};
  return {no_common_type,
          bfloat_without({"gradOutput", "self"}),
          integers,
          too_many_dimensions({"gradOutput"}, kShape),
          too_many_dimensions({"self"}, kShape),
          too_many_dimensions({"gradInput"}, kShape),
          {"broadcast",
           [](CallArguments& call) {
             call.set_shape("gradOutput", {2, 4});
           },
           161002,
           {"gradOutput", "self", "broadcast", "[2, 4]"}},
          {"shape of gradInput",
           [](CallArguments& call) {
             call.set_shape("gradInput", {1, 3});
           },
           161002,
           {"gradInput", "[2, 3]", "[1, 3]"}}};
}

TEST_F(Checks, GeluBackward) {
  std::vector<Violation> order{null_tensor("gradOutput"), null_tensor("self"),
                               null_tensor("gradInput")};
  for (const Violation& violation : gelu_backward_violations()) order.push_back(violation);
  check({"aclnnGeluBackward", gelu_call({"gradOutput", "self", "gradInput"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeluBackwardGetWorkspaceSize(o.tensor("gradOutput"), o.tensor("self"),
                                                    o.tensor("gradInput"), size, executor);
         },
         order});
}

TEST_F(Checks, GeluBackwardV2) {
  std::vector<Violation> order{null_tensor("gradOutput"),
                               null_tensor("self"),
                               {"null approximate",
                                [](CallArguments& call) { call.text_null = true; },
                                161001,
                                {"approximate", "null"}},
                               null_tensor("gradInput")};
  for (const Violation& violation : gelu_backward_violations()) order.push_back(violation);
  order.push_back({"text of approximate",
                   [](CallArguments& call) { call.text = "erf"; },
                   161002,
                   {"approximate", "\"erf\""}});
  check({"aclnnGeluBackwardV2", gelu_call({"gradOutput", "self", "gradInput"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnGeluBackwardV2GetWorkspaceSize(o.tensor("gradOutput"), o.tensor("self"),
                                                      o.text(), o.tensor("gradInput"), size,
                                                      executor);
         },
         order});
}

}  // namespace
}  // namespace aclgrad::testing
