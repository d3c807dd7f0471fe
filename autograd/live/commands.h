// SPDX-License-Identifier: Apache-2.0
// What the page asks for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "aclgrad/live.h"
#include "live/edits.h"
#include "live/history.h"

namespace aclgrad::live {

// One type for each "do" of the page.
struct StepCommand {
  std::int64_t count = 1;
};
struct BackCommand {
  std::int64_t count = 1;
};
struct GoToCommand {
  std::int64_t step;
};
struct PlayCommand {
  bool plays;
  double per_second = 0;                             // steps; 0: as many as it can
  std::optional<std::int64_t> until = std::nullopt;  // the step at which it is held
};
struct ResetCommand {};
struct UndoCommand {};
struct SetCommand {
  ValueId value;
  std::int64_t index;
  double to;
};
struct ReleaseCommand {
  std::optional<ValueId> value;
};
struct RateCommand {
  std::optional<double> to;
};
struct ChooseCommand {
  std::string name, to;
};
// A value whose elements are wanted, from a row and a column on.
struct Watched {
  std::int64_t row = 0, column = 0;
  friend bool operator==(const Watched&, const Watched&) = default;
};
struct WatchCommand {
  std::map<ValueId, Watched> values;
};
struct DrawCommand {
  std::string name;
  std::vector<double> pixels;
};
struct TypeCommand {
  std::string name, text;
};
struct CheckCommand {
  ValueId value;
  std::int64_t index;
};

// Where a link leads: what its maker had chosen, trained, changed on the way, and set by hand.
struct RestoreCommand {
  Chosen choices;
  std::int64_t step = 0;
  Changes changes = {};
  std::vector<Edit> edits = {};
  std::map<std::string, std::string> texts = {};
};

using Command = std::variant<StepCommand, BackCommand, GoToCommand, PlayCommand, ResetCommand,
                             UndoCommand, SetCommand, ReleaseCommand, RateCommand, ChooseCommand,
                             WatchCommand, DrawCommand, TypeCommand, CheckCommand, RestoreCommand>;

/// A command, and whether its asker gets the frame with the other pages, and no second one as the
/// answer.
struct Asked {
  Command command;
  bool brief = false;
};

/// Throws ValueError, in words for the page, for what is no command: a number is one, not a text or
/// true, and a count has no fraction.
Asked parse_command(const std::string& text);

}  // namespace aclgrad::live
