// SPDX-License-Identifier: Apache-2.0
// Names of parts and of what is kept beside them; files with other names.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

TEST(Module, TwoPartsOfOneNameAreNamedByTheirLines) {
  const int line = __LINE__ + 1;
  const Linear one("a", 2, 2, {.bias = false});
  const Linear other("a", 2, 2, {.bias = false});
  EXPECT_EQ(message_of<ValueError>([&] { return Sequential("net", one, other); }),
            fmt::format("two variables are called `net.a.weight`, of two parts "
                        "(graph/module_names_test.cpp:{} and graph/module_names_test.cpp:{}): give "
                        "one of the parts another name",
                        line, line + 1));
}

// What training adds to a file is called `weight@velocity`.
TEST(Module, NoNameHasTheMarkOfWhatTrainingAdds) {
  const char* reason = "names with `@` are those of what training keeps beside a variable";
  EXPECT_THAT(message_of<ValueError>([] { Linear("a@b", 2, 2); }), HasSubstr(reason));
  EXPECT_THAT(message_of<ValueError>([] { Variable("@adamw.steps", Tensor::zeros({1})); }),
              HasSubstr(reason));
  EXPECT_THAT(message_of<ValueError>([] { AdamW({.name = "w@x"}); }), HasSubstr(reason));
  EXPECT_THAT(message_of<ValueError>([] { LossScaler({.name = "@shard0"}); }), HasSubstr(reason));
}

TEST(ModuleFiles, AreSavedUnderOtherNamesAndLoadedFromThem) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "net.safetensors";
  const Sequential net(Linear("a", 2, 3), Linear("b", 3, 2)),
      again(Linear("a", 2, 3, {.seed = 5}), Linear("b", 3, 2));
  net.save(file, {.rename = with_prefix("model.")});
  EXPECT_EQ(load_safetensors(file).tensors.names(),
            "model.a.weight, model.a.bias, model.b.weight, model.b.bias");
  EXPECT_THAT(
      message_of<ValueError>([&] { again.load(file); }),
      HasSubstr("all its names begin with `model.`, which ours do not: load with {.rename = "
                "without_prefix(\"model.\")}"));
  again.load(file, {.rename = without_prefix("model.")});
  EXPECT_TRUE(bitwise_equal(again.parameters()[0].value(), net.parameters()[0].value()));
  net.save(file, {.rename = [](const std::string& name) {
             return name.starts_with("b.") ? "" : name.substr(2);
           }});
  EXPECT_EQ(load_safetensors(file).tensors.names(), "weight, bias");
  const Linear whole("encoder", 2, 3);
  EXPECT_THAT(message_of<ValueError>([&] { whole.load(file); }),
              HasSubstr("all our names begin with `encoder.`, which its names do not: load with "
                        "{.rename = with_prefix(\"encoder.\")}"));
  whole.load(file, {.rename = with_prefix("encoder.")});
  EXPECT_TRUE(bitwise_equal(whole.weight().value(), net.parameters()[0].value()));
  EXPECT_THAT(message_of<ValueError>(
                  [&] { net.save(file, {.rename = [](const std::string&) { return "w"; }}); }),
              HasSubstr("`rename` gives `a.weight` and `a.bias` one name, `w`"));
  EXPECT_EQ(load_safetensors(file).tensors.names(), "weight, bias") << "the file stays as it was";
}

// A wrong file has no prefix to take away.
TEST(ModuleFiles, NoPrefixIsPointedOutThatDoesNotHelp) {
  const Linear net("layer", 2, 3);
  const auto refusal = [&](const NamedTensors& tensors) {
    return message_of<ValueError>([&] { net.load(tensors); });
  };
  EXPECT_THAT(refusal({{"model.other.weight", Tensor::zeros({2, 3})}}),
              testing::Not(HasSubstr("prefix")));
  EXPECT_THAT(refusal({}), testing::Not(HasSubstr("prefix")));
  EXPECT_THAT(refusal({{"a.b.layer.weight", Tensor::zeros({2, 3})}, {"a.b.x", Tensor::zeros({1})}}),
              HasSubstr("without_prefix(\"a.b.\")"));
}

}  // namespace
}  // namespace aclgrad
