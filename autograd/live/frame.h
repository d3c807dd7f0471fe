// SPDX-License-Identifier: Apache-2.0
// What the page is told, as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "live/commands.h"
#include "live/playback.h"

namespace aclgrad::live {

/// What a frame says beside the numbers.
struct FrameFacts {
  std::int64_t number = 0;
  std::int64_t graph = 0;
  bool playing = false;
  double steps_per_second = 0;
  bool can_go_back = true;
  std::string note = {};
  std::map<ValueId, Watched> watched = {};  // whose elements are wanted, and from where on
  std::vector<Choice> choices = {};
  // Where training is on its way to, and what is set by hand there.
  std::optional<std::int64_t> until = std::nullopt;
  std::vector<Edit> then = {};
};

/// The preview must be up to date.
nlohmann::json frame_json(Playback& playback, const FrameFacts& facts);

nlohmann::json check_json(const Check& check, const Value& value, std::int64_t index);

/// The page: the graph, and the first frame.
std::string page_html(Playback& playback, const FrameFacts& facts, const std::string& title,
                      const std::vector<std::string>& lessons);

}  // namespace aclgrad::live
