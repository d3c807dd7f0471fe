// SPDX-License-Identifier: Apache-2.0
// What aclgrad-verify asks a program for: that one of its calls of fit() trains from its beginning,
// or a checkpoint, writes a record elsewhere, and leaves alone what the program would write. It
// comes as a JSON file that the environment variable ACLGRAD_VERIFY names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "aclgrad/fit.h"
#include "train/record/run_file.h"

namespace aclgrad::detail {

struct VerifyRequest {
  std::int64_t fit = 0;  ///< the number of the call of fit() in the process, counted from 0
  std::string record;    ///< where its record goes
  std::string from;      ///< a checkpoint that it goes on from; empty: the beginning
  std::int64_t first = -1, last = -1;  ///< the state's hashes after each of these steps
  std::int64_t until = -1;             ///< the step after which the run ends; -1: none
  std::int64_t values = -1;            ///< the step whose values are written; -1: none
  std::string values_file;             ///< a safetensors file for them; and a page, .html behind
};

RunJson to_json(const VerifyRequest& request);

/// A call of fit(): its number, and what is asked for in the process, of this or another call.
class FitCall {
 public:
  /// Counts the call. All ranks call it; the first one's environment counts. Throws ValueError for
  /// a request that cannot be read.
  explicit FitCall(const Ranks& ranks);

  std::int64_t number() const { return number_; }

  /// What is asked of this call.
  const VerifyRequest* request() const { return is_asked_ ? &*request_ : nullptr; }

  /// Whether a call of this process is verified.
  bool is_verifying() const { return request_.has_value(); }

  /// The options by which it trains the same, and writes nothing of the program's.
  FitOptions options_of(FitOptions options) const;

 private:
  std::int64_t number_ = 0;
  std::optional<VerifyRequest> request_;
  bool is_asked_ = false;
};

}  // namespace aclgrad::detail
