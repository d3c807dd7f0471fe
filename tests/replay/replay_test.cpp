// SPDX-License-Identifier: Apache-2.0
// Programs are recorded, with a provider that does wrong what it is told to, and replayed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/replay/support.h"

namespace aclgrad::replay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::StartsWith;

TEST(Replay, FindsEveryFaultAndBlamesNoRightCall) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " faults"), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded);
  const std::vector<std::uint64_t> expected = marked(recorded);
  EXPECT_GE(expected.size(), 60u);
  EXPECT_EQ(found(report), expected) << all_text(report);
}

TEST(Replay, BlamesNoRightRun) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " right"), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded);
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  std::int64_t equal = 0;
  for (const auto& [name, row] : report.rows) equal += row.equal;
  EXPECT_EQ(equal, 54);
  EXPECT_THAT(report.left_out, IsEmpty());
}

TEST(Replay, OtherBitsWithinTheBoundAreRight) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " near"), 0);
  const Report report = replayed(Record(folder / "r"));
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  const Row& row = report.rows.at("aclnnMatmul");
  EXPECT_EQ(row.within, 1);
  EXPECT_THAT(row.largest, AllOf(Gt(0), Le(1)));
}

TEST(Replay, FindsWhatIsWrongBetweenCalls) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " between"), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded);
  EXPECT_EQ(found(report), marked(recorded)) << all_text(report);
  std::vector<std::string> kinds;
  for (const Finding& each : report.findings) {
    if (each.kind != "status" && each.kind != "value") kinds.push_back(each.kind);
  }
  EXPECT_THAT(kinds, ElementsAre("stale input", "stale input", "race", "overlap", "size"));
  ASSERT_FALSE(report.findings.empty());
  EXPECT_THAT(report.findings[0].text,
              AllOf(HasSubstr("aclnnRelu left there as out"), HasSubstr("aclnnSilu")));
}

// Several threads look at them, and all of a call have the same content.
TEST(Replay, LargeTensorsAreKeptOnce) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " large"), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded);
  EXPECT_EQ(found(report), marked(recorded)) << all_text(report);
  EXPECT_EQ(report.rows.at("aclnnAdd").equal, 1);
  // In megabytes: what was copied, one of the tensors, their sum, right and wrong.
  EXPECT_EQ(std::filesystem::file_size(folder / "r/contents.bin"), (3u + 1 + 2) << 20);
}

TEST(Replay, StepOfTransformerIsEqual) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", STEP, "ACLGRAD_SESSION=eager", false), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded, {.gradients = true});
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  EXPECT_THAT(report.unchecked, IsEmpty());
  EXPECT_GT(report.gradients, 200);
  std::int64_t equal = 0;
  for (const auto& [name, row] : report.rows) {
    equal += row.equal;
    EXPECT_EQ(row.calls, row.equal) << name;
  }
  EXPECT_GT(equal, 100);
  EXPECT_THAT(report.left_out, IsEmpty());
}

// The contract of a layer norm makes normalizedShape of the right call's input.
TEST(Replay, JudgesArraysAsTheyWereRecorded) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", STEP, "ACLGRAD_SESSION=eager", false), 0);
  const Record recorded(folder / "r");
  int judged = 0;
  for (const Call& call : recorded.calls()) {
    if (!call.function.starts_with("aclnnLayerNorm") || !call.plan) continue;
    const auto task = task_of(recorded, call);
    ASSERT_TRUE(task);
    const std::vector<Content> after = after_of(recorded, call, *task);
    const std::vector<bool> written = written_tensors(*task);
    std::vector<std::vector<std::byte>> here;
    for (std::size_t i = 0; i < after.size(); ++i) {
      here.emplace_back(after[i].begin(), after[i].end());
      if (written[i]) here[i].at(0) ^= std::byte{1};
    }
    EXPECT_EQ(judge(*task, after, here).verdict, Verdict::within) << call.number;
    ++judged;
  }
  EXPECT_GT(judged, 4);
}

// Of a recording it is known what it found and what it left.
TEST(Replay, CallsOfRecordingsAreJudgedAtEachRun) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " recordings"), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded);
  std::map<std::string, std::vector<std::uint64_t>> wrong;
  for (const Finding& each : report.findings) wrong[each.kind].push_back(each.number);
  std::vector<std::uint64_t> expected = marked(recorded);
  ASSERT_GT(expected.size(), 2u);
  EXPECT_EQ(wrong["race"], std::vector{expected.back()});
  expected.pop_back();
  EXPECT_EQ(wrong["stale input"], std::vector{expected.back()});
  expected.pop_back();
  std::vector<std::uint64_t> twice;  // in both runs
  for (const std::uint64_t number : expected) twice.insert(twice.end(), 2, number);
  EXPECT_EQ(wrong["value"], twice) << all_text(report);
  ASSERT_EQ(wrong["changed"].size(), 2u);
  for (const std::uint64_t number : wrong["changed"])
    EXPECT_THAT(recorded.calls()[number].function, StartsWith("aclmdlRIExecute"));
  EXPECT_EQ(wrong.size(), 4u);
  std::map<std::string, std::int64_t> not_judged = {
      {"its results were overwritten within its recording", 2},
      {"what it read was overwritten within its recording", 2}};
  EXPECT_EQ(report.left_out, not_judged);
  std::int64_t equal = 0;
  for (const auto& [name, row] : report.rows) equal += row.equal;
  EXPECT_EQ(equal, 2 * (6 * 3 + 2 + 1 + 1) + 1 + 1);
  EXPECT_THAT(to_text(report), HasSubstr(", run by call "));

  ASSERT_EQ(record(folder / "again", std::string(DRIVER) + " recordings"), 0);
  EXPECT_EQ(first_difference(recorded, Record(folder / "again"), runner()), "");
  ASSERT_EQ(record(folder / "right", std::string(DRIVER) + " recordings", "", false), 0);
  EXPECT_THAT(first_difference(recorded, Record(folder / "right"), runner()),
              AllOf(HasSubstr(", run by call "), HasSubstr("from the same inputs"),
                    HasSubstr("r is wrong"), HasSubstr("right is as here")));
}

TEST(Replay, OtherWorkOfRecordingsIsNotBlamedOnOperators) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " right_recordings"), 0);
  const Report report = replayed(Record(folder / "r"));
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  EXPECT_EQ(report.rows.at("aclnnMul").equal, 4);
  EXPECT_EQ(report.rows.at("aclnnRelu").equal, 4);
}

TEST(Replay, RecordingsOfASessionAreEqual) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", STEP, "ACLGRAD_SESSION=", false), 0);
  const Report report = replayed(Record(folder / "r"), {.gradients = true});
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  EXPECT_GT(report.gradients, 0);
  std::int64_t equal = 0;
  for (const auto& [name, row] : report.rows) {
    equal += row.equal;
    EXPECT_EQ(row.calls, row.equal) << name;
  }
  EXPECT_GT(equal, 60);
  // Sessions give memory to one value after the other.
  ASSERT_EQ(report.left_out.size(), 1u);
  EXPECT_GT(report.left_out.at("its results were overwritten within its recording"), 0);
}

TEST(Replay, RunsOfRecordingsWithoutBytesAreNamed) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", STEP, "ACLGRAD_RECORD_FUNCTIONS='aclnn*' ACLGRAD_SESSION=", false),
            0);
  const Report report = replayed(Record(folder / "r"));
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  EXPECT_EQ(report.left_out.at("a run of a recording whose bytes were not kept"), 2);
}

// A program that opens the library by its name and asks it for functions.
TEST(Replay, StandInsRecordWhatIsLoadedByName) {
  const Folder folder;
  const std::string libraries = std::filesystem::path(LIBRARY).parent_path();
  const std::string command = fmt::format(
      "{0} --behind {1} {2} {3} --library {2}.libraries/libopapi.so --op silu --in-process --quiet "
      "> {2}.txt",
      RECORD_COMMAND, libraries, folder / "r", GRADCHECK);
  ASSERT_EQ(std::system(command.c_str()), 0) << read_file(folder / "r.txt");
  const Report report = replayed(Record(folder / "r"));
  EXPECT_THAT(report.findings, IsEmpty()) << all_text(report);
  EXPECT_GT(report.rows.at("aclnnSilu").equal, 10);
  EXPECT_GT(report.rows.at("aclnnSilu").refused, 10);
  EXPECT_GT(report.rows.at("aclnnSiluBackward").equal, 10);
}

// What no library behind has is refused. This one needs the stand-in, in which the recorder would
// find its own function.
TEST(Replay, StandInsRefuseWhatNoLibraryBehindHas) {
  const Folder folder;
  const std::filesystem::path vendor = folder / "vendor";
  std::filesystem::create_directory(vendor);
  std::filesystem::create_symlink(WITHOUT_FUNCTIONS, vendor / "libopapi.so");
  const std::string command = fmt::format(
      "{0} --behind {1} {2} {3} --library {2}.libraries/libopapi.so --op silu --in-process --quiet "
      "> {2}.txt 2>&1",
      RECORD_COMMAND, vendor.string(), folder / "r", GRADCHECK);
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 128) << status;
  EXPECT_THAT(read_file(folder / "r.txt"),
              HasSubstr("calls are refused of what no library behind has: aclrtSetDevice"));
}

TEST(Replay, VariableAloneIsSaidToRecordNothing) {
  const Folder folder;
  const std::string command =
      fmt::format("ACLGRAD_RECORD={0} {1} right 2> {0}.txt", folder / "r", DRIVER);
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(read_file(folder / "r.txt"),
              HasSubstr("the recorder is not loaded: start the program with"));
  EXPECT_FALSE(std::filesystem::exists(folder / "r"));
}

TEST(Replay, KilledProcessLeavesARecord) {
  const Folder folder;
  const int status = record(folder / "r", "exec " + std::string(DRIVER) + " die");
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 128 + SIGKILL);
  EXPECT_THAT(replayed(Record(folder / "r")).findings, IsEmpty());
  const std::string calls = folder / "r/calls.jsonl";
  const auto size = std::filesystem::file_size(calls);
  for (const std::uintmax_t cut : {1u, 2u, 50u}) {
    std::filesystem::resize_file(calls, size - cut);
    const Record torn(folder / "r");
    EXPECT_TRUE(torn.is_torn());
    EXPECT_THAT(replayed(torn).findings, IsEmpty());
  }
}

TEST(Replay, ComparesTwoRecords) {
  const Folder folder;
  ASSERT_EQ(record(folder / "a", std::string(DRIVER) + " right"), 0);
  ASSERT_EQ(record(folder / "b", std::string(DRIVER) + " right"), 0);
  ASSERT_EQ(record(folder / "late", std::string(DRIVER) + " late"), 0);
  const Record a(folder / "a");
  EXPECT_EQ(first_difference(a, Record(folder / "b"), runner()), "");
  const Record late(folder / "late");
  ASSERT_EQ(marked(late).size(), 1u);
  const std::string difference = first_difference(a, late, runner());
  EXPECT_THAT(difference,
              AllOf(HasSubstr(fmt::format("and {}, aclnnGelu: out differs", marked(late)[0])),
                    HasSubstr("from the same inputs"), HasSubstr("/a is as here"),
                    HasSubstr("/late is wrong: element 24 of out is 0, expected")));
}

// Of a record without bytes.
TEST(Replay, HashesSayWhereRecordsPart) {
  const Folder folder;
  const auto hashes = [&](const std::string& what) {
    const std::string name = folder / what;
    EXPECT_EQ(record(name, std::string(DRIVER) + " " + what, "ACLGRAD_RECORD_SIZE=0"), 0);
    EXPECT_EQ(std::filesystem::file_size(name + "/contents.bin"), 0u);
    return name;
  };
  const Record right(hashes("right")), late(hashes("late"));
  EXPECT_EQ(first_difference(right, right, runner()), "");
  EXPECT_THAT(first_difference(right, late, runner()),
              HasSubstr(fmt::format("and {}, aclnnGelu: out differs from the same inputs",
                                    marked(late).at(0))));
  const Record between(hashes("between"));
  const Report report = replayed(between);
  std::vector<std::string> kinds;
  for (const Finding& each : report.findings) kinds.push_back(each.kind);
  EXPECT_THAT(kinds, ElementsAre("stale input", "race", "overlap", "size")) << all_text(report);
  const Report of_recordings = replayed(Record(hashes("recordings")));
  ASSERT_FALSE(of_recordings.findings.empty());
  kinds.clear();
  for (const Finding& each : of_recordings.findings) kinds.push_back(each.kind);
  EXPECT_THAT(kinds, ElementsAre("changed", "changed", "race")) << all_text(of_recordings);
}

TEST(Replay, ProgramShowsTheCallAlone) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " late"), 0);
  const Record recorded(folder / "r");
  const Report report = replayed(recorded);
  ASSERT_FALSE(report.findings.empty());
  const Finding& first = report.findings[0];
  const auto task = task_of(recorded, recorded.calls()[first.number]);
  ASSERT_TRUE(task);
  write_program(folder / "call.c", recorded, *task, first);
  const std::string libraries = std::filesystem::path(LIBRARY).parent_path();
  const std::string compile = fmt::format(
      "cc -Wall -Werror -o {0} {0}.c -I {1} -L {2} -Wl,-rpath,{2} -lopapi -lnnopbase -lascendcl && "
      "{0} > {0}.txt",
      folder / "call", INCLUDE, libraries);
  ASSERT_EQ(std::system(compile.c_str()), 0) << compile;
  const auto right = static_cast<double>(static_cast<float>(first.element->expected));
  EXPECT_THAT(
      read_file(folder / "call.txt"),
      StartsWith(fmt::format("status 0\nelement 24 of out is {:.9g}, recorded 0, expected {:.9g}",
                             right, first.element->expected)));
}

TEST(Replay, WordsSayHowMuch) {
  const Folder folder;
  const auto kept = [&](const std::string& name, const std::string& settings) {
    EXPECT_EQ(record(folder / name, std::string(DRIVER) + " right", settings), 0);
    const Record recorded(folder / name);
    std::map<std::string, int> counts;
    for (const Call& call : recorded.calls()) {
      if (call.plan && !call.before.empty()) ++counts[call.function];
    }
    return counts;
  };
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(kept("some", "ACLGRAD_RECORD_FUNCTIONS='aclnnMul,*Gel?'"),
            (Counts{{"aclnnMul", 9}, {"aclnnGelu", 9}}));
  EXPECT_EQ(kept("first", "ACLGRAD_RECORD_FIRST=2 ACLGRAD_RECORD_EVERY=3")["aclnnAdd"], 2);
  EXPECT_EQ(kept("every", "ACLGRAD_RECORD_EVERY=4")["aclnnAdd"], 3);
  EXPECT_EQ(record(folder / "negative", std::string(DRIVER) + " right",
                   "ACLGRAD_RECORD_SIZE=-1 2> /dev/null"),
            0);
  EXPECT_FALSE(std::filesystem::exists(folder / "negative"));
  kept("size", "ACLGRAD_RECORD_SIZE=1K");
  EXPECT_LE(std::filesystem::file_size(folder / "size/contents.bin"), 1024u);
  EXPECT_EQ(record(folder / "none", std::string(DRIVER) + " right",
                   "ACLGRAD_RECORD_FIRST=all 2> /dev/null"),
            0);
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(Replay, NamesTheLineThatIsWrong) {
  const Folder folder;
  ASSERT_EQ(record(folder / "r", std::string(DRIVER) + " right"), 0);
  std::string calls = read_file(folder / "r/calls.jsonl");
  const auto refuses = [&](const std::string& text, const std::string& why) {
    std::ofstream(folder / "r/calls.jsonl") << text;
    try {
      const Record recorded(folder / "r");
      ADD_FAILURE() << "taken, which has: " << why;
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  refuses("", "has no whole line");
  refuses("{\"record\":2}\n", "line 1: this is no record of format 1");
  refuses(calls + "{\n", "line ");
  refuses("{\"record\":1}\n{\"n\":5,\"call\":\"aclInit\",\"thread\":1,\"arguments\":{}}\n",
          "its number is 5, expected 0");
  for (const char* const number : {"2e24", "0.5", "-1", "18446744073709551616", "[0]"}) {
    refuses(fmt::format("{{\"record\":1}}\n{{\"n\":{},\"call\":\"aclInit\",\"thread\":1,"
                        "\"arguments\":{{}}}}\n",
                        number),
            "not whole, or too large");
  }
  std::string far = calls;
  far.replace(far.find("\"at\":\"0x") + 8, 0, "12345678");
  refuses(far, "is no address");
  const std::size_t content = calls.find("\"content\":0");
  ASSERT_NE(content, std::string::npos);
  refuses(calls.replace(content, 11, "\"content\":99999999"), "end beyond contents.bin");
  EXPECT_THROW(Record(folder / "nothing"), IoError);
  // Those that were refused have given their memory back.
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_THAT(mapped, AllOf(Not(IsEmpty()), Not(HasSubstr(folder / "r"))));
}

}  // namespace
}  // namespace aclgrad::replay
