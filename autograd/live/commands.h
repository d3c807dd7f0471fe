// SPDX-License-Identifier: Apache-2.0
// What the page asks for.
#ifndef ACLGRAD_AUTOGRAD_LIVE_COMMANDS_H_
#define ACLGRAD_AUTOGRAD_LIVE_COMMANDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "aclgrad/live.h"

namespace aclgrad::live {

// One type for each "do" of the page.
struct StepCommand {};
struct BackCommand {};
struct GoToCommand {
  std::int64_t step;
};
struct PlayCommand {
  bool plays;
  double per_second = 0;  // steps; 0: as many as it can
};
struct ResetCommand {};
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
struct WatchCommand {
  std::vector<ValueId> values;
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

using Command = std::variant<StepCommand, BackCommand, GoToCommand, PlayCommand, ResetCommand,
                             SetCommand, ReleaseCommand, RateCommand, ChooseCommand, WatchCommand,
                             DrawCommand, TypeCommand, CheckCommand>;

/// Throws ValueError, in words for the page, for what is no command.
Command parse_command(const std::string& text);

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_COMMANDS_H_
