// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "examples/translate/model.h"

namespace aclgrad {

// The translator of a source of 5 letters, and what is begun of the target, one behind the other.
struct TranslatorOfOneInput : translate::Translator {
  TranslatorOfOneInput()
      : Translator({.letters = 7, .digits = 6, .width = 6, .heads = 2, .hidden = 4, .blocks = 1},
                   DType::float32, 1) {}
  Value operator()(const Value& text) const {
    const std::vector<Value> parts = split(text, {5, text.shape()[1] - 5}, 1);
    return decode(encode(parts[0]), parts[0], parts[1]);
  }
};

}  // namespace aclgrad
