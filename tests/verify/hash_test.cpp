// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tensor/sha256.h"

namespace aclgrad::detail {
namespace {

// FIPS 180-4's examples, and lengths at which the padding takes another block.
TEST(Sha256Hash, IsThatOfTheStandard) {
  struct Row {
    std::string text;
    const char* hash;
  };
  for (const auto& [text, hash] :
       {Row{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        Row{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        Row{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        Row{std::string(55, 'a'),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        Row{std::string(64, 'a'),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        Row{std::string(1'000'000, 'a'),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}}) {
    for (const std::size_t cut : {std::size_t{0}, text.size() / 3, text.size()}) {
      Sha256 usual, portable;
      portable.use_portable();
      for (Sha256* hash_of : {&usual, &portable}) {
        hash_of->add(std::string_view(text).substr(0, cut));
        hash_of->add(std::string_view(text).substr(cut));
        EXPECT_EQ(hash_of->text(), hash) << text.size() << " bytes, cut at " << cut;
      }
    }
  }
}

}  // namespace
}  // namespace aclgrad::detail
