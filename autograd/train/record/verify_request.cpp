// SPDX-License-Identifier: Apache-2.0
#include "train/record/verify_request.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"

namespace aclgrad::detail {
namespace {

constexpr const char* kVerifyVariable = "ACLGRAD_VERIFY";

VerifyRequest request_from(const RunJson& json) {
  return {.fit = json.at("fit"),
          .record = json.at("record"),
          .from = json.at("from"),
          .first = json.at("first"),
          .last = json.at("last"),
          .until = json.at("until"),
          .values = json.at("values"),
          .values_file = json.at("values_file")};
}

}  // namespace

RunJson to_json(const VerifyRequest& request) {
  return {{"fit", request.fit},       {"record", request.record},
          {"from", request.from},     {"first", request.first},
          {"last", request.last},     {"until", request.until},
          {"values", request.values}, {"values_file", request.values_file}};
}

FitCall::FitCall(const Ranks& ranks) {
  static std::atomic<std::int64_t> calls = 0;
  std::string text;
  ranks.on_first([&] {
    number_ = calls++;
    if (const char* path = std::getenv(kVerifyVariable)) text = read_file(path);
  });
  if (ranks.size() > 1) {
    ranks.broadcast(std::as_writable_bytes(std::span(&number_, 1)));
    text = ranks.broadcast_text(text);
  }
  if (text.empty()) return;
  try {
    request_ = request_from(RunJson::parse(text));
  } catch (const RunJson::exception& error) {
    throw ValueError(fmt::format("the file that {} names is no request of aclgrad-verify: {}",
                                 kVerifyVariable, error.what()));
  }
  is_asked_ = request_->fit == number_;
}

FitOptions FitCall::options_of(FitOptions options) const {
  options.checkpoint = is_asked_ ? request_->from : "";
  options.resume = is_asked_ && !request_->from.empty();
  options.checkpoint_every =
      options.resume ? std::optional<std::int64_t>(0) : std::optional<std::int64_t>();
  options.record = is_asked_ ? request_->record : "";
  if (!is_asked_) options.record_every = 0;
  options.log = nullptr;
  options.observe = false;
  options.progress = report::ProgressMode::off;
  return options;
}

}  // namespace aclgrad::detail
