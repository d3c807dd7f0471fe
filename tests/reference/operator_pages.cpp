// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/operator_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

#include "tests/contract/products.h"
#include "tests/reference/rules.h"
#include "tests/reference/sources.h"
#include "tests/reference/table.h"

namespace aclgrad::reference {
namespace {

using contract::Library;

// All that is known, gathered once for both languages.
struct Facts {
  std::vector<Section> all = sections();
  std::map<std::string, Declared> declared;
  std::map<std::string, contract::DtypeLists> dtypes;
  std::map<std::string, Accuracy> accuracy;
  std::map<std::string, std::string> performance;

  Facts(const Library& library, const std::string& root)
      : declared(read_headers(root + "/ops/include")),
        dtypes(contract::accepted_dtypes(library)),
        accuracy(read_accuracy(root + "/docs/accuracy.md")),
        performance(read_performance(root + "/docs/performance.md")) {
    for (const contract::Operator& op : contract::all_contracts()) require_names(op);
    std::set<std::string> left;
    for (const auto& [name, declaration] : declared) left.insert(name);
    for (const Section& section : all) {
      for (const Words& words : section.operators) {
        for (const std::string& name : words.operators) left.erase(name);
      }
    }
    if (!left.empty()) throw std::runtime_error("no words about " + *left.begin());
  }

  // The contract names parameters as the header does.
  void require_names(const contract::Operator& op) const {
    const std::vector<std::string>& names = declared.at(op.name()).parameters;
    const auto name_of = [&op](size_t i) { return op.call.parameters[i].declared_name(); };
    if (std::ranges::equal(contract::declared_parameters(op), names, {}, name_of)) return;
    throw std::runtime_error(
        fmt::format("the contract names the parameters of {} otherwise than its header: {}",
                    op.name(), fmt::join(names, ", ")));
  }
};

// One of the two pages.
class Page {
 public:
  Page(const Facts& facts, bool chinese) : facts_(facts), chinese_(chinese) {}

  std::string text() {
    page_ = say(
        "# Operators\n\n[中文](operators.zh.md)\n\n"
        "Written by `./dev docs` from the public headers, the library's own answers to right and "
        "wrong calls,\nthe tables of the tests and the pages of measurements; a test compares.\n\n"
        "Every operator is a pair of C functions, `aclnnXxxGetWorkspaceSize`, which checks its "
        "parameters and\nplans, and `aclnnXxx`, which queues the work on a stream. The functions "
        "of a graph are those of\n[ops.h](../../framework/include/aclgrad/ops.h); their gradient "
        "rules call what stands beside them.\n\n",
        "# 算子一览\n\n[English](operators.md)\n\n"
        "本页由 `./dev docs` "
        "根据公开头文件、库对正确与错误调用的实际应答、测试用表与测量结果生成，并由测试核对。\n\n"
        "每个算子由两个 C 函数组成：`aclnnXxxGetWorkspaceSize`（第一段：检查参数并规划）与 "
        "`aclnnXxx`（第二段：把任务\n"
        "下发到 stream）。图中的函数见 "
        "[ops.h](../../framework/include/aclgrad/ops.h)，其旁列出梯度规则所调用的算子。"
        "\n\n");
    chinese_ ? chinese_families() : english_families();
    statuses();
    return page_;
  }

 private:
  std::string say(const Text& text) const { return chinese_ ? text.chinese : text.english; }
  std::string say(const char* english, const char* chinese) const {
    return chinese_ ? chinese : english;
  }
  const char* comma() const { return chinese_ ? "、" : ", "; }

  static std::string heading(const Words& words) {
    return fmt::format("{}", fmt::join(words.operators, ", "));
  }

  // The anchor that a heading gets: small letters, spaces as hyphens, no commas.
  static std::string anchor(const Words& words) {
    std::string anchor;
    for (const char c : heading(words)) {
      if (c == ' ') anchor += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    return anchor;
  }

  // An overview with links, then a heading for every operator, with its header's own words.
  void english_families() {
    for (const Section& section : facts_.all) {
      page_ += fmt::format("**{}**\n\n", say(section.title));
      overview(section);
      page_ += "\n";
    }
    legend();
    for (const Section& section : facts_.all) {
      page_ += fmt::format("\n## {}\n", say(section.title));
      for (const Words& words : section.operators) {
        page_ += fmt::format("\n### {}\n\n{}\n\n", heading(words), say(words.computes));
        details(words.operators);
        std::vector<std::string> comments;
        for (const std::string& name : words.operators) {
          comments.push_back(facts_.declared.at(name).comment);
        }
        std::erase(comments, "");
        if (!comments.empty()) {
          page_ += fmt::format("\n```text\n{}\n```\n", fmt::join(comments, "\n\n"));
        }
      }
    }
  }

  // Two tables for every family: the headers' words are English only.
  void chinese_families() {
    legend();
    for (const Section& section : facts_.all) {
      page_ += fmt::format("\n## {}\n\n", say(section.title));
      overview(section);
      page_ += "\n";
      std::vector<std::string> names;
      for (const Words& words : section.operators) {
        names.insert(names.end(), words.operators.begin(), words.operators.end());
      }
      details(names);
    }
  }

  void overview(const Section& section) {
    page_ += say("| operator | computes | in the graph | gradient rule |\n|---|---|---|---|\n",
                 "| 算子 | 计算 | 在图中 | 梯度规则 |\n|---|---|---|---|\n");
    for (const Words& words : section.operators) {
      const std::string names = fmt::format("`{}`", fmt::join(words.operators, "`, `"));
      page_ += fmt::format("| {} | {} | {} | {} |\n",
                           chinese_ ? names : fmt::format("[{}](#{})", names, anchor(words)),
                           cell(say(words.computes)),
                           words.in_graph.empty() ? "" : "`" + cell(words.in_graph) + "`",
                           cell(say(rule_of(words))));
    }
  }

  void legend() {
    page_ += say(
        "Below, *dtypes* are those of the tensors whose dtype is the operator's own, not of "
        "targets, steps and seeds,\nand of scalars only for `aclnnInplaceFillScalar`: on "
        "Ascend910B, 910_93 and 950, and where they differ, on 910\nand 310P. Another dtype gives "
        "161002. While `aclgradSetAcceptDouble` is on, DOUBLE is accepted wherever\nFLOAT is. The "
        "*bound* is what the value tests hold every dtype to, in units of the last place; "
        "*largest\nfound* is from [accuracy](../accuracy.md), which tried all inputs. *Speed* is "
        "that of FLOAT on one thread, in 10⁹\nelements a second, and its multiple of the best "
        "peer's ([performance](../performance.md)). The blocks are the\nheaders' own words on the "
        "parameters. The answers to wrong calls, in the order of the checks, are in\n"
        "[checks](checks.md).\n",
        "以下“数据类型”指类型由算子决定的那些张量（910B、910_93、950，不同时另列 910、310P），"
        "其他类型返回 161002；打开 `aclgradSetAcceptDouble` 后，凡支持 FLOAT "
        "之处也接受 "
        "DOUBLE。\n“误差界”与“实测最大误差”以末位单位（ulp）计，取自 "
        "[accuracy](../accuracy.md)（穷举全部输入），其余为数值测试的要求。\n“速度”为 FLOAT "
        "单线程，单位 10⁹ "
        "元素每秒，以及与最快同类库之比"
        "（[performance](../performance.md)）。\n各项检查、返回码及其先后顺序见 "
        "[checks](checks.md)；名称链接到公开头文件。\n");
  }

  // A row for each operator; columns without an entry are left out.
  void details(const std::vector<std::string>& names) {
    std::vector<std::string> lines(names.size() + 2, "|");
    const auto column = [&](const std::string& title, const auto& text_of) {
      std::vector<std::string> cells;
      for (const std::string& name : names) cells.push_back(cell(text_of(name)));
      if (std::ranges::all_of(cells, [](const std::string& text) { return text.empty(); })) return;
      lines[0] += fmt::format(" {} |", title);
      lines[1] += "---|";
      for (std::size_t i = 0; i < cells.size(); ++i) lines[i + 2] += fmt::format(" {} |", cells[i]);
    };
    column(say("header", "头文件"), [&](const std::string& name) {
      return fmt::format("[`{}`](../../ops/include/{})", name, facts_.declared.at(name).header);
    });
    column(say("parameters", "参数"), [&](const std::string& name) {
      return fmt::format("{}", fmt::join(facts_.declared.at(name).parameters, comma()));
    });
    column(say("dtypes", "数据类型"), [&](const std::string& name) {
      const contract::DtypeLists& lists = facts_.dtypes.at(name);
      if (lists.before_a2 == lists.from_a2_on) return lists.from_a2_on;
      return fmt::format("{}{}{}", lists.from_a2_on, say("; on 910, 310P ", "；910、310P "),
                         lists.before_a2);
    });
    column(say("bound (ulp)", "误差界（ulp）"), [&](const std::string& name) {
      const auto proven = facts_.accuracy.find(name);
      return proven == facts_.accuracy.end() ? say(bound_of(name)) : proven->second.bound;
    });
    column(say("largest found (ulp)", "实测最大误差（ulp）"), [&](const std::string& name) {
      const auto proven = facts_.accuracy.find(name);
      return proven == facts_.accuracy.end() ? "" : proven->second.largest;
    });
    column(say("speed", "速度"), [&](const std::string& name) {
      const auto measured = facts_.performance.find(name);
      return measured == facts_.performance.end() ? "" : measured->second;
    });
    page_ += fmt::format("{}\n", fmt::join(lines, "\n"));
  }

  void statuses() {
    page_ += say(
        "\n## Statuses\n\n| status | means |\n|---|---|\n| 0 | success |\n"
        "| 161001 | a pointer that must be given is null |\n"
        "| 161002 | a parameter breaks a rule: dtype, shape, rank, value |\n"
        "| 361001 | the work could not be queued on the stream |\n"
        "| 561103 | an executor that was used up, destroyed, or is of another operator; a view "
        "that "
        "leaves its storage |\n\n"
        "On failure `aclGetRecentErrMsg` names the operator, the parameter, what was expected and "
        "what came\n([messages](messages.md)). What differs between products beyond dtypes: "
        "[products](products.md).\n",
        "\n## 返回码\n\n| 返回码 | 含义 |\n|---|---|\n| 0 | 成功 |\n"
        "| 161001 | 必须提供的指针为空 |\n"
        "| 161002 | 参数违反规则：数据类型、形状、维数、取值 |\n"
        "| 361001 | 任务无法下发到 stream |\n"
        "| 561103 | executor 已用过、已销毁或不属于该算子；非连续视图超出其存储 |\n\n"
        "失败时 `aclGetRecentErrMsg` "
        "给出算子、参数、期望值与实际值（[messages](messages.md)"
        "）。各产品之间数据类型以外的差别见\n"
        "[products](products.md)。\n");
  }

  const Facts& facts_;
  const bool chinese_;
  std::string page_;
};

}  // namespace

Text operator_pages(const Library& library, const std::string& root) {
  const Facts facts(library, root);
  return {Page(facts, false).text(), Page(facts, true).text()};
}

}  // namespace aclgrad::reference
