// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/declarations.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace aclgrad::reference {
namespace {

using Lines = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_spaces(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(" \n"), text.size()));
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

// A line without words begins a paragraph.
void append(std::string& text, const std::string& line) {
  if (!text.empty() && !text.ends_with('\n')) text += line.empty() ? '\n' : ' ';
  text += line;
}

// Depth of brackets; of < and > only where they can be brackets.
class Depth {
 public:
  explicit Depth(bool counts_angles = true) : counts_angles_(counts_angles) {}

  int after(const std::string& text, std::size_t i) {
    const char c = text[i];
    if (c == '(' || c == '{' || c == '[') ++depth_;
    if (c == ')' || c == '}' || c == ']') --depth_;
    const bool is_operator = i > 0 && (text[i - 1] == '-' || text[i - 1] == ' ');
    if (counts_angles_ && c == '<' && !is_operator) ++depth_;
    if (counts_angles_ && c == '>' && !is_operator) --depth_;
    return depth_;
  }

 private:
  bool counts_angles_;
  int depth_ = 0;
};

// What stands between separators outside of brackets.
Lines split_outside_brackets(const std::string& text, char separator) {
  Lines parts(1);
  Depth depth;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth.after(text, i) == 0 && text[i] == separator) {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

// "std::int64_t dim = -1" is "dim = -1".
std::string parameter(const std::string& text) {
  Lines sides = split_outside_brackets(text, '=');
  const std::string left = without_spaces(sides[0]);
  std::size_t begin = left.size();
  while (begin > 0 && is_word(left[begin - 1])) --begin;
  const bool has_name = begin > 0 && begin < left.size() && left.substr(0, begin) != "const ";
  std::string name = has_name ? left.substr(begin) : "";
  if (sides.size() < 2) return name;
  return name + " = " + without_spaces(sides[1]);
}

std::string parameters(const std::string& text) {
  std::string all;
  for (const std::string& each : split_outside_brackets(text, ',')) {
    if (each.find("source_location") != std::string::npos) continue;
    const std::string one = parameter(each);
    if (one.empty()) continue;
    if (!all.empty()) all += ", ";
    all += one;
  }
  return all;
}

// Without "template <...>" and attributes in front of it.
std::string without_template(std::string text) {
  while (text.starts_with("template") || text.starts_with("[[")) {
    Depth depth;
    std::size_t end = text.starts_with("[[") ? 0 : text.find('<');
    if (end > 0) text[end - 1] = '_';  // a bracket, though a space stands before it
    while (depth.after(text, end) != 0) ++end;
    text = without_spaces(text.substr(end + 1));
  }
  return text;
}

// The word `operator`, or npos.
std::size_t operator_in(const std::string& text) {
  const std::string word = "operator";
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    if (begins && !is_word(text[at + word.size()])) return at;
  }
  return std::string::npos;
}

// The opening bracket of a function's parameters, or npos.
std::size_t bracket_of(const std::string& text) {
  const std::size_t symbol = operator_in(text);
  if (symbol != std::string::npos) {
    const std::size_t open = text.find('(', symbol);
    return text.compare(open, 2, "()") == 0 && text[open + 2] == '(' ? open + 2 : open;
  }
  Depth depth;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && i > 0 && is_word(text[i - 1])) {
      Depth before = depth;
      if (before.after(text, i) == 1) return i;
    }
    const int now = depth.after(text, i);
    if (now == 0 && (text[i] == '=' || text[i] == ';')) return std::string::npos;
    if (now == 1 && text[i] == '{') return std::string::npos;
  }
  return std::string::npos;
}

std::string name_before(const std::string& text, std::size_t end) {
  const std::size_t symbol = operator_in(text);
  if (symbol != std::string::npos) return without_spaces(text.substr(symbol, end - symbol));
  std::size_t begin = end;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '~')) --begin;
  return text.substr(begin, end - begin);
}

// One statement: its lines from `line` on, which moves behind it.
std::string statement(const Lines& lines, std::size_t& line) {
  std::string text;
  Depth depth(false);
  int now = 0;
  for (; line < lines.size(); ++line) {
    std::string code = lines[line];
    const std::size_t comment = code.find("//");
    if (comment != std::string::npos) code.erase(comment);
    code = without_spaces(code);
    for (std::size_t i = 0; i < code.size(); ++i) now = depth.after(code, i);
    append(text, code);
    if (now == 0 && !code.empty() && (code.back() == ';' || code.back() == '}')) break;
  }
  return text;
}

class Reader {
 public:
  explicit Reader(const std::string& path) {
    header_.path = path;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
    if (lines_.empty()) throw std::runtime_error(path + ": cannot be read");
  }

  CppHeader read() {
    std::size_t top = 1;  // behind the licence
    for (; top < lines_.size() && lines_[top].starts_with("//"); ++top) {
      append(header_.comment, without_spaces(lines_[top].substr(2)));
    }
    for (std::size_t line = top; line < lines_.size(); ++line) read_line(line);
    return std::move(header_);
  }

 private:
  void read_line(std::size_t& line) {
    const std::string& text = lines_[line];
    std::smatch match;
    if (text.starts_with("#")) {
      while (lines_[line].ends_with("\\")) ++line;
    } else if (text.starts_with("///")) {
      if (!in_comment_) comment_.clear();
      in_comment_ = true;
      shared_ = false;
      append(comment_, without_spaces(text.substr(3)));
    } else if (text.empty() || text.starts_with("//")) {
      comment_.clear();
      in_comment_ = shared_ = false;
    } else if (std::regex_match(text, match, std::regex(R"(namespace ([\w:]*) ?\{)"))) {
      namespaces_.push_back(match[1]);
    } else if (text.starts_with("}")) {
      if (!namespaces_.empty()) namespaces_.pop_back();
    } else if (is_word(text[0]) || text.starts_with("[[")) {
      const std::size_t begin = line;
      const std::string all = without_template(statement(lines_, line));
      in_comment_ = false;
      if (!is_hidden() && declare(all, begin, line)) shared_ = true;
    }
  }

  bool is_hidden() const {
    return std::ranges::any_of(namespaces_, [](const std::string& name) {
      return name.empty() || name.find("detail") != std::string::npos || name == "calls";
    });
  }

  std::string qualified(const std::string& name) const {
    std::string all;
    for (std::string each : namespaces_) {
      if (each.starts_with("aclgrad")) each.erase(0, std::string("aclgrad::").size());
      if (!each.empty()) all += each + "::";
    }
    return all + name;
  }

  // Whether this is something to list.
  bool declare(const std::string& text, std::size_t first, std::size_t last) {
    CppDeclaration one{.name = {}, .comment = comment_, .shares_comment = shared_};
    std::smatch match;
    if (std::regex_search(text, match, std::regex(R"(^(?:enum class|class|struct) ([\w:]+))"))) {
      if (text.find('{') == std::string::npos) return false;
      one.kind = CppDeclaration::Kind::type;
      one.name = match[1];
      read_members(one, text, first, last);
    } else if (std::regex_search(text, match, std::regex(R"(^(?:using|concept) (\w+) =)"))) {
      one.kind = CppDeclaration::Kind::type;
      one.name = match[1];
    } else if (text.starts_with("static_assert") || text.starts_with("friend") ||
               text.starts_with("using ")) {
      return false;
    } else if (const std::size_t open = bracket_of(text); open != std::string::npos) {
      one.name = name_before(text, open);
      const std::size_t begins = text.rfind(one.name, open);
      if (begins > 0 && text[begins - 1] == ':') return false;  // a member's definition
      one.call = qualified(one.name) + arguments_at(text, open);
    } else if (std::regex_search(text, match, std::regex(R"((\w+)(?:\[\])?(?: =|\{|;))"))) {
      one.kind = CppDeclaration::Kind::constant;
      one.name = match[1];
    } else {
      throw std::runtime_error(header_.path + ": not understood: " + text);
    }
    one.name = qualified(one.name);
    header_.declarations.push_back(std::move(one));
    return true;
  }

  static std::string arguments_at(const std::string& text, std::size_t open) {
    Depth depth(false);
    std::size_t close = open;
    while (depth.after(text, close) != 0) ++close;
    return "(" + parameters(text.substr(open + 1, close - open - 1)) + ")";
  }

  void read_members(CppDeclaration& type, const std::string& text, std::size_t begin,
                    std::size_t end) {
    if (text.starts_with("enum")) {
      for (const std::string& each : split_outside_brackets(
               text.substr(text.find('{') + 1, text.rfind('}') - text.find('{') - 1), ',')) {
        type.members.push_back(without_spaces(split_outside_brackets(each, '=')[0]));
      }
      std::erase(type.members, "");
      return;
    }
    const std::string own = type.name.substr(type.name.rfind(':') + 1);
    bool is_public = text.starts_with("struct");
    Lines body;
    for (std::size_t line = begin; line < end; ++line) {
      const std::string& code = lines_[line];
      if (code.starts_with(" public:")) is_public = true;
      if (code.starts_with(" private:") || code.starts_with(" protected:")) is_public = false;
      body.push_back(is_public && code.starts_with("  ") ? code.substr(2) : "");
    }
    for (std::size_t line = 0; line < body.size(); ++line) {
      if (body[line].empty() || !(is_word(body[line][0]) || body[line][0] == '[')) continue;
      member(type, own, without_template(statement(body, line)));
    }
  }

  static void member(CppDeclaration& type, const std::string& own, const std::string& text) {
    if (text.starts_with("friend") || text.starts_with("using ") || text.starts_with("static_") ||
        text.starts_with("requires")) {
      return;
    }
    std::smatch match;
    std::string name;
    const std::size_t open = bracket_of(text);
    if (std::regex_search(text, match, std::regex(R"(^(?:enum class|class|struct) (\w+))"))) {
      name = match[1];
    } else if (open != std::string::npos) {
      name = name_before(text, open);
      const std::string arguments = arguments_at(text, open);
      const bool copies = text.find("const " + own + "&") != std::string::npos ||
                          text.find(own + "&&") != std::string::npos;
      const std::string call = name + arguments;
      const bool is_known = std::ranges::find(type.makers, call) != type.makers.end();
      if (name == own && !copies && !is_known) type.makers.push_back(call);
      if (name == own || name.starts_with("~") || name.starts_with("operator")) return;
    }
    if (!name.empty()) {
      add_member(type, name);
    } else {
      for (const std::string& each : split_outside_brackets(text.substr(0, text.rfind(';')), ',')) {
        std::string declarator = without_spaces(split_outside_brackets(each, '=')[0]);
        declarator.erase(
            std::min(declarator.find_first_of("[{", declarator.rfind('>') + 1), declarator.size()));
        add_member(type, name_before(declarator, declarator.size()));
      }
    }
  }

  static void add_member(CppDeclaration& type, const std::string& name) {
    const bool is_new = std::ranges::find(type.members, name) == type.members.end();
    if (!name.empty() && is_new) type.members.push_back(name);
  }

  CppHeader header_;
  Lines lines_;
  Lines namespaces_;
  std::string comment_;
  bool in_comment_ = false;
  bool shared_ = false;
};

}  // namespace

CppHeader read_cpp_header(const std::string& path) { return Reader(path).read(); }

std::string first_sentence(const std::string& comment) {
  const std::string paragraph = comment.substr(0, comment.find('\n'));
  for (std::size_t i = paragraph.find(". "); i != std::string::npos;
       i = paragraph.find(". ", i + 1)) {
    const std::string so_far = paragraph.substr(0, i);
    if (!so_far.ends_with("al") && !so_far.ends_with(" e.g") && !so_far.ends_with("..")) {
      return so_far + ".";
    }
  }
  if (paragraph.ends_with(":")) return paragraph.substr(0, paragraph.size() - 1) + ".";
  return paragraph;
}

}  // namespace aclgrad::reference
