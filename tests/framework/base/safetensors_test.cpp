// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "aclgrad/io/npy.h"
#include "aclgrad/nn/module.h"
#include "temporary_folder.h"
#include "tests/support/allocations.h"

namespace aclgrad {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::string little_endian(std::uint64_t value) {
  std::string text(8, '\0');
  std::memcpy(text.data(), &value, 8);
  return text;
}

/// A file with this header, by the letter of the format, and so many bytes of data.
std::string file_with(std::string_view header, std::size_t data) {
  return little_endian(header.size()).append(header) + std::string(data, '\x01');
}

TEST(SafetensorsTest, EveryDTypeAndShapeComesBack) {
  const TemporaryFolder folder;
  NamedTensors tensors;
  for (const DType dtype :
       {DType::uint8, DType::float64, DType::boolean, DType::float16, DType::bfloat16, DType::int8,
        DType::int16, DType::int32, DType::int64, DType::float32}) {
    tensors.emplace_back(to_string(dtype), Tensor::from({3, 1}, {0, 1, -2.5}).to(dtype));
  }
  tensors.emplace_back("scalar", Tensor::scalar(7));
  tensors.emplace_back("empty", Tensor::zeros({0, 4}));
  tensors.emplace_back("naïve \"name\"\n", Tensor::arange(5));
  const Metadata metadata = {{"framework", "aclgrad"}, {"note", "a\\b"}};
  const std::filesystem::path path = folder.path() / "all.safetensors";
  save_safetensors(path, tensors, metadata);
  const SafetensorsFile file = load_safetensors(path);
  EXPECT_EQ(file.metadata, metadata);
  ASSERT_EQ(file.tensors.size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(file.tensors[i].first, tensors[i].first);
    EXPECT_TRUE(bitwise_equal(file.tensors[i].second, tensors[i].second)) << tensors[i].first;
  }
  EXPECT_EQ(file["scalar"].item(), 7);
  EXPECT_TRUE(file.contains("empty"));
  EXPECT_FALSE(file.contains("other"));
  EXPECT_THAT([&] { file["other"]; }, ThrowsMessage<IoError>(HasSubstr("no tensor 'other'")));
  EXPECT_EQ(folder.count(), 1u);
}

TEST(SafetensorsTest, TheBytesAreThoseOfTheFormat) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a";
  save_safetensors(
      path,
      {{"b", Tensor::from({2}, {1, 0}, DType::boolean)}, {"w", Tensor::from({1, 2}, {1, -2})}},
      {{"k", "v"}});
  const std::string header = R"({"__metadata__":{"k":"v"},)"
                             R"("b":{"data_offsets":[8,10],"dtype":"BOOL","shape":[2]},)"
                             R"("w":{"data_offsets":[0,8],"dtype":"F32","shape":[1,2]}})";
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  const std::string data("\0\0\x80\x3F\0\0\0\xC0\x01\0", 10);
  EXPECT_EQ(read_file(path),
            little_endian(padded) + header + std::string(padded - header.size(), ' ') + data);
}

TEST(SafetensorsTest, NoTensorsAtAll) {
  const TemporaryFolder folder;
  save_safetensors(folder.path() / "a", {});
  EXPECT_EQ(read_file(folder.path() / "a"), file_with("{}      ", 0));
  EXPECT_TRUE(load_safetensors(folder.path() / "a").tensors.empty());
}

TEST(SafetensorsTest, FilesOfOtherWritersAreRead) {
  const TemporaryFolder folder;
  const SafetensorsFile file = load_safetensors(
      folder.file("a", file_with(R"({ "z":{"dtype":"I16","shape":[1],"data_offsets":[1,3]},
                    "a":{"shape":[],"data_offsets":[0,1],"dtype":"U8"} })",
                                 3)));
  EXPECT_THAT(file.tensors, ElementsAre(Pair("z", testing::_), Pair("a", testing::_)));
  EXPECT_EQ(file["z"].item(), 0x0101);
}

TEST(SafetensorsTest, ATensorOfAnUnknownDtypeIsRefusedWhenItIsAskedFor) {
  const TemporaryFolder folder;
  const SafetensorsFile file = load_safetensors(
      folder.file("a", file_with(R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[8,10]},
                    "x":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})",
                                 10)));
  EXPECT_EQ(to_string(file["w"]), "[1, 1]");
  EXPECT_EQ(file.tensors.size(), 1u);
  EXPECT_FALSE(file.contains("x"));
  EXPECT_THAT([&] { return file["x"]; },
              ThrowsMessage<IoError>("tensor \"x\": dtype \"F8_E4M3\" is not known here"));
  struct Net : Module {
    explicit Net(const char* name) { parameter(name, Tensor::zeros({2}, DType::uint8)); }
  };
  EXPECT_THAT([&] { Net("x").load(folder.path() / "a", {.strict = false}); },
              ThrowsMessage<IoError>(HasSubstr("a: tensor \"x\": dtype \"F8_E4M3\"")));
  EXPECT_THAT([&] { Net("w").load(folder.path() / "a"); },
              ThrowsMessage<ValueError>(HasSubstr("no variable for `x`")));
  EXPECT_THAT(Net("w").load(folder.path() / "a", {.strict = false}).unexpected,
              testing::ElementsAre("x"));
  Net("w").load(folder.path() / "a",
                {.rename = [](const std::string& name) { return name == "x" ? "" : name; }});
}

TEST(SafetensorsTest, FilesOfAnotherKindSayWhatTheyAre) {
  const TemporaryFolder folder;
  const auto zip = [](const std::string& name) {
    return std::string("PK\x03\x04") + std::string(22, '\0') + static_cast<char>(name.size()) +
           std::string(3, '\0') + name;
  };
  const std::pair<std::string, const char*> kinds[] = {
      {zip("archive/data.pkl"),
       "it is a file of PyTorch (torch.save): read_pth() reads its tensors"},
      {"\x80\x02\x8A\nl\xFC\x9C\x46\xF9", "torch.load() it and torch.save() it again"},
      {"\x80\x04\x95", "it is a pickle of Python: save its arrays with save_file()"},
      {zip("weight.npy"), "it is an archive of NumPy (.npz): read_npz() reads it"},
      {zip("other"), "it is a ZIP archive: unpack it first"},
      {"\x93NUMPY\x01\0 and more", "it is an array of NumPy (.npy): read_npy() reads it"},
      {"\x89HDF\r\n\x1A\n and more", "it is an HDF5 file"},
      {"\x1F\x8B\x08\x08 and more", "it is compressed with gzip: unpack it first"},
      {"version https://git-lfs and more", "`git lfs pull`"},
  };
  for (const auto& [content, message] : kinds) {
    const std::filesystem::path path = folder.file("a", content);
    EXPECT_THAT([&] { load_safetensors(path); },
                ThrowsMessage<IoError>(
                    AllOf(HasSubstr("a: not a sound safetensors file: "), HasSubstr(message))));
  }
}

TEST(SafetensorsTest, SavingRefusesBadNames) {
  const TemporaryFolder folder;
  const Tensor t = Tensor::zeros({1});
  const std::filesystem::path path = folder.path() / "a";
  EXPECT_THAT(
      [&] {
        save_safetensors(path, {{"x", t}, {"x", t}});
      },
      ThrowsMessage<ValueError>("the tensor name 'x' is given twice"));
  EXPECT_THAT(
      [&] {
        save_safetensors(path, {{"__metadata__", t}});
      },
      ThrowsMessage<ValueError>(HasSubstr("reserved")));
  EXPECT_THAT(
      [&] {
        save_safetensors(path, {{"\xFF", t}});
      },
      ThrowsMessage<ValueError>(HasSubstr("must be UTF-8")));
  EXPECT_THAT(
      [&] {
        save_safetensors(path, {}, {{"k", "\xFF"}});
      },
      ThrowsMessage<ValueError>(HasSubstr("must be UTF-8")));
  EXPECT_THROW(save_safetensors(folder.path() / "no" / "a", {}), IoError);
  EXPECT_EQ(folder.count(), 0u);
}

struct Damage {
  std::string content;
  const char* message;
};

/// A file with one tensor "x" whose entry is this JSON.
std::string entry(const std::string& json, std::size_t data) {
  return file_with("{\"x\":" + json + "}", data);
}

TEST(SafetensorsTest, DamagedFilesAreRefused) {
  const std::string sound = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const std::string nested(100000, '[');
  const Damage damages[] = {
      {"", "0 bytes are too few for the length of the header"},
      {"1234567", "7 bytes are too few"},
      {little_endian(100) + "{}", "a header of 100 bytes does not fit a file of 10"},
      {little_endian(100'000'001), "longer than the format allows"},
      {little_endian(~std::uint64_t{0}) + "{}", "longer than the format allows"},
      {file_with("", 0), "does not begin with '{'"},
      {file_with(" {}", 0), "does not begin with '{'"},
      {file_with("[]", 0), "does not begin with '{'"},
      {file_with("{", 0), "not valid JSON"},
      {file_with("{} x", 0), "not valid JSON"},
      {file_with("{\"a\":1,}", 0), "not valid JSON"},
      {file_with("{\"\xFF\":1}", 0), "not valid JSON"},
      {entry(nested, 0), "nested too deeply"},
      {entry("1", 0), "tensor \"x\": its entry is not a JSON object"},
      {file_with(R"({"__metadata__":[]})", 0), "the metadata is not a JSON object"},
      {file_with(R"({"__metadata__":{"k":1}})", 0), "the metadata \"k\" is not a string"},
      {file_with(R"({"__metadata__":{"k":"1","k":"2"}})", 0), "the key \"k\" occurs twice"},
      {file_with("{\"x\":" + sound + ",\"x\":" + sound + "}", 8), "the key \"x\" occurs twice"},
      {entry(R"({"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]})", 8),
       "the key \"dtype\" occurs twice"},
      {entry(R"({"shape":[2],"data_offsets":[0,8]})", 8), "there is no 'dtype'"},
      {entry(R"({"dtype":"F32","data_offsets":[0,8]})", 8), "there is no 'shape'"},
      {entry(R"({"dtype":"F32","shape":[2]})", 8), "there is no 'data_offsets'"},
      {entry(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"e":1})", 8), "fields"},
      {entry(R"({"dtype":32,"shape":[2],"data_offsets":[0,8]})", 8), "'dtype' is not a string"},
      {entry(R"({"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,9]})", 8), "do not lie in"},
      {entry(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})", 8), "'shape' is not an array"},
      {entry(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})", 8), "holds -2, which is not"},
      {entry(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})", 8), "holds 2.0, which"},
      {entry(R"({"dtype":"F32","shape":[1e999],"data_offsets":[0,8]})", 8),
       "a number that is none"},
      {entry(R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})", 8), "holds \"2\", which"},
      {entry(R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]})", 8),
       "holds 9223372036854775808, which is not a count"},
      {entry(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})", 8),
       "63 bits"},
      {entry(R"({"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]})", 8),
       "does not have the 8 bytes"},
      {entry(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})", 8),
       "shape [3] of float32 does not have the 8 bytes from 0 to 8"},
      {entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,7]})", 7), "does not have the 7"},
      {entry(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})", 8), "does not hold two numbers"},
      {entry(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})", 8), "two numbers"},
      {entry(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})", 8), "holds -8, which"},
      {entry(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})", 8), "offsets 8 to 0 do not"},
      {entry(sound, 7), "offsets 0 to 8 do not lie in the 7 bytes of data"},
      {entry(sound, 9), "bytes 8 to 9 of the data belong to no tensor"},
      {entry(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", 8), "bytes 0 to 4"},
      {file_with("{\"x\":" + sound + ",\"y\":" + sound + "}", 8), "overlaps"},
      {file_with("{\"x\":" + sound + R"(,"y":{"dtype":"U8","shape":[0],"data_offsets":[3,3]}})", 8),
       "overlaps"},
      {file_with("{}", 1), "bytes 0 to 1 of the data belong to no tensor"},
      {little_endian(58) + R"({"x":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}   )" + "\2",
       "a BOOL is neither 0 nor 1"},
  };
  const TemporaryFolder folder;
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.message);
    const std::filesystem::path path = folder.file("damaged.safetensors", damage.content);
    EXPECT_THAT(
        [&] { load_safetensors(path); },
        ThrowsMessage<IoError>(AllOf(StartsWith(path.string() + ": not a sound safetensors file: "),
                                     HasSubstr(damage.message))));
  }
  EXPECT_THAT([&] { load_safetensors(folder.path() / "none"); },
              ThrowsMessage<IoError>(HasSubstr("No such file")));
  EXPECT_THROW(load_safetensors(folder.path()), IoError);
}

TEST(SafetensorsTest, AFileThatDoesNotFitIntoMemory) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a";
  save_safetensors(path, {{"x", Tensor::zeros({100000})}});
  const AllocationLimit limit(200000);
  EXPECT_THAT([&] { load_safetensors(path); },
              ThrowsMessage<IoError>(AllOf(StartsWith(path.string() + ": cannot read: its 400"),
                                           HasSubstr("do not fit into memory"))));
}

TEST(SafetensorsTest, EveryTruncationIsNoticed) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a";
  save_safetensors(path, {{"x", Tensor::arange(4)}, {"y", Tensor::arange(3)}});
  const std::string whole = read_file(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_THROW(load_safetensors(folder.file("cut", whole.substr(0, size))), IoError) << size;
  }
}

TEST(SafetensorsTest, AnyChangedByteOfTheHeaderIsRefusedOrHarmless) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a";
  save_safetensors(path, {{"x", Tensor::arange(4)}}, {{"k", "v"}});
  const std::string whole = read_file(path);
  int refused = 0;
  for (std::size_t at = 0; at < whole.size() - 16; ++at) {
    for (const char byte : {'\0', '"', '0', '9', '}', ' ', '\xFF'}) {
      std::string changed = whole;
      changed[at] = byte;
      try {
        const SafetensorsFile file = load_safetensors(folder.file("changed", changed));
        for (const auto& [name, tensor] : file.tensors) ASSERT_EQ(tensor.nbytes(), 16u);
      } catch (const IoError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 500);
}

// Eight times as many tensors take about eight times as long; the square would be 64 times.
TEST(SafetensorsTest, TimeGrowsWithTheNumberOfTensors) {
  const TemporaryFolder folder;
  // Of this thread: others may keep the processors busy.
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto seconds = [&](const auto& work) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const double begin = now();
      work();
      best = std::min(best, now() - begin);
    }
    return best;
  };
  const auto times = [&](int count) {
    NamedTensors tensors;
    std::string map;
    for (int i = 0; i < count; ++i) {
      tensors.emplace_back(fmt::format("layers.{}.weight", i), Tensor::scalar(i));
      map += fmt::format("{}\"layers.{}.weight\": \"1\"", i > 0 ? "," : "", i);
    }
    save_safetensors(folder.path() / "1", tensors);
    const auto index = folder.file("index.json", "{\"weight_map\": {" + map + "}}");
    write_npz(folder.path() / "a.npz", tensors);
    return std::array{
        seconds([&] { save_safetensors(folder.path() / "2", tensors); }), seconds([&] {
          EXPECT_EQ(load_safetensors(folder.path() / "1").tensors[7].second.get(0), 7);
        }),
        seconds([&] { EXPECT_EQ(load_safetensors(index).tensors[7].second.get(0), 7); }),
        seconds([&] { EXPECT_EQ(read_npz(folder.path() / "a.npz")[7].second.get(0), 7); })};
  };
  const auto few = times(2'000), many = times(16'000);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_LT(many[i], 24 * few[i] + 0.02) << i;
}

}  // namespace
}  // namespace aclgrad
