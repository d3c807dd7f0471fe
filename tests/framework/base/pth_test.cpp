// SPDX-License-Identifier: Apache-2.0
// Files that PyTorch and NumPy wrote (data/make.py), and damaged ones.
#include "aclgrad/io/pth.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "aclgrad/io/npy.h"
#include "aclgrad/nn.h"
#include "io/zip.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/memory_file.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(ACLGRAD_FILES_OF_OTHERS) / name;
}

Tensor named(const NamedTensors& tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensors::value_type::first);
  if (found != tensors.end()) return found->second;
  ADD_FAILURE() << name;
  return {};
}

std::string refused(const std::string& name) {
  return message_of<IoError>([&] { read_pth(data(name)); });
}

TEST(Pth, ReadsStateDicts) {
  const NamedTensors state = read_pth(data("state.pth"));
  ASSERT_EQ(state.size(), 7u);
  EXPECT_EQ(state[0].first, "first.weight");
  EXPECT_TRUE(bitwise_equal(state[0].second, Tensor::arange(9).reshape({3, 3})));
  EXPECT_TRUE(bitwise_equal(named(state, "first.bias"), Tensor::from({3}, {-1, 0.5, 2})));
  EXPECT_EQ(named(state, "norm.num_batches_tracked").dtype(), DType::int64);
  const NamedTensors checkpoint = read_pth(data("checkpoint.pth"));
  EXPECT_EQ(named(checkpoint, "model.first.weight").shape(), (Shape{3, 3}));
  EXPECT_EQ(named(checkpoint, "optimizer.state.0.exp_avg").shape(), (Shape{3, 3}));
  EXPECT_EQ(named(checkpoint, "model.norm.num_batches_tracked").get(0), 1);
}

TEST(Pth, ReadsEveryDtypeAndStridedParts) {
  const NamedTensors views = read_pth(data("views.pth"));
  const Tensor base = Tensor::arange(12).reshape({3, 4});
  EXPECT_TRUE(bitwise_equal(named(views, "whole"), base));
  EXPECT_TRUE(bitwise_equal(named(views, "turned"), base.transpose(0, 1)));
  EXPECT_TRUE(bitwise_equal(named(views, "column"), Tensor::from({3}, {1, 5, 9})));
  EXPECT_EQ(named(views, "none").shape(), (Shape{0, 2}));
  EXPECT_TRUE(bitwise_equal(named(views, "scalar"), Tensor::scalar(7)));
  EXPECT_TRUE(bitwise_equal(named(views, "parameter"), Tensor::from({2}, {1, 1})));
  EXPECT_TRUE(bitwise_equal(named(views, "list.1.0"), Tensor::from({1}, {2}, DType::int64)));
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::int8, DType::int16,
        DType::int32, DType::int64, DType::uint8, DType::boolean}) {
    const std::string name = dtype == DType::boolean ? "bool" : to_string(dtype);
    EXPECT_TRUE(bitwise_equal(named(views, name), Tensor::from({2, 2}, {0, 1, 1, 0}, dtype)))
        << name;
  }
  EXPECT_TRUE(bitwise_equal(named(read_pth(data("tensor.pt")), "tensor"), base));
}

// What PyTorch saves beside tensors is left out, and named when it is asked for.
TEST(Pth, ReadsTheTensorsBesideWhatIsNone) {
  const NamedTensors mixed = read_pth(data("mixed.pth"));
  EXPECT_TRUE(bitwise_equal(named(mixed, "x"), Tensor::arange(12).reshape({3, 4})));
  EXPECT_TRUE(bitwise_equal(named(mixed, "expanded"), Tensor::full({2, 3}, 1)));
  EXPECT_TRUE(bitwise_equal(named(mixed, "channels"), Tensor::arange(8).reshape({1, 2, 2, 2})));
  EXPECT_TRUE(bitwise_equal(named(mixed, "rates.a"), Tensor::full({1}, 1)));
  EXPECT_EQ(mixed.size(), 4u);
  const auto why = [&](const char* name) { return message_of<IoError>([&] { mixed[name]; }); };
  EXPECT_THAT(why("args"), HasSubstr("\"argparse.Namespace\""));
  EXPECT_THAT(why("best"), HasSubstr("numpy.core.multiarray.scalar"));
  EXPECT_THAT(why("device"), HasSubstr("torch.device"));
  EXPECT_THAT(why("dtype"), HasSubstr("torch.float32"));
  EXPECT_THAT(why("shape"), HasSubstr("torch.Size"));
  EXPECT_THAT(why("complex"), HasSubstr("torch.ComplexFloatStorage"));
  EXPECT_THAT(why("quantized"), HasSubstr("_rebuild_qtensor"));
  EXPECT_THAT(why("sparse"), HasSubstr("_rebuild_sparse_tensor"));
  EXPECT_THAT(why("far"), HasSubstr("tensor.contiguous()"));
  EXPECT_THAT(why("tensor"), HasSubstr("neither text nor a whole number"));
  EXPECT_THROW(mixed["none"], ValueError);
  EXPECT_TRUE(bitwise_equal(named(read_pth(data("expanded.pth")), "x"), Tensor::zeros({5})));
}

// What the module has not is passed over, unless it is what the module needs.
TEST(Pth, AModuleLoadsTheTensorsBesideWhatIsNone) {
  struct Net : Module {
    Variable x = parameter("x", Tensor::zeros({3, 4}));
    Variable args = parameter("args", Tensor::zeros({1}));
  };
  const auto only = [](const char* wanted, const char* as) {
    return LoadOptions{.strict = false, .rename = [=](const std::string& name) {
                         return name == wanted ? std::string(as) : std::string();
                       }};
  };
  const Net net;
  net.load(data("mixed.pth"), only("x", "x"));
  EXPECT_EQ(net.x.value().get(11), 11);
  EXPECT_THAT(message_of<IoError>([&] { net.load(data("mixed.pth"), only("args", "args")); }),
              HasSubstr("argparse.Namespace"));
}

TEST(Pth, RefusesWhatIsNoTensor) {
  EXPECT_THAT(refused("module.pth"), HasSubstr("torch.save(model.state_dict(), path)"));
  EXPECT_THAT(refused("legacy.pth"), HasSubstr("before 1.6"));
  EXPECT_THAT(refused("script.pt"), HasSubstr("TorchScript"));
  EXPECT_THAT(refused("complex.pth"), HasSubstr("torch.ComplexFloatStorage"));
  EXPECT_THAT(refused("stored.npz"), HasSubstr("read_npz()"));
  EXPECT_THAT(refused("make.py"), HasSubstr("not a file of PyTorch"));
}

std::string refused_pickle(const std::string& pickle) {
  detail::ZipWriter archive;
  archive.add("a/data.pkl", "\x80\x02" + pickle, /*deflated=*/true);
  archive.add("a/data/0", std::string(8, '\0'), /*deflated=*/false);
  const MemoryFile file(std::move(archive).finish());
  return message_of<IoError>([&] { read_pth(file.path()); });
}

// A tensor of the storage 0, of float32, as torch.save() writes it; `numel` of that storage.
std::string tensor(const std::string& offset, const std::string& sizes, const std::string& strides,
                   const std::string& numel) {
  using namespace std::string_literals;
  return "ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"s +
         "0X\3\0\0\0cpu"s + numel + "tQ" + offset + "(" + sizes + "t(" + strides + "t\x89}tR";
}

TEST(Pth, NothingThatAPickleSaysIsCalledOrWithoutEnd) {
  using namespace std::string_literals;
  EXPECT_THAT(refused_pickle("cposix\nsystem\n(X\4\0\0\0truetR."s),
              HasSubstr("it asks for \"posix.system\""));
  EXPECT_THAT(refused_pickle("cposix\nsystem\n(X\4\0\0\0truet\x81}b."s),
              HasSubstr("it asks for \"posix.system\""));
  EXPECT_THAT(refused_pickle("c\x1B[2J\nx\n."s), HasSubstr("\\u001b[2J"));
  EXPECT_THAT(refused_pickle("i"s), HasSubstr("instruction 0x69 of pickle"));
  EXPECT_THAT(refused_pickle("]q\0h\0a."s), HasSubstr("nested too deeply"));  // a list of itself
  // A tensor takes its storage of a long name from the memo, again and again.
  const std::string number = "K\2", size = "\0\0\1\0"s;
  std::string many = "((X\7\0\0\0storagectorch\nFloatStorage\nX"s + size +
                     std::string(65'536, 'k') + "X\3\0\0\0cpu"s + number + "tq\0"s;
  for (int i = 0; i < 4'000; ++i) many += "h\0Q"s;
  EXPECT_THAT(refused_pickle(many + "t."), HasSubstr("more than 512 times its size"));
  EXPECT_THAT(refused_pickle(std::string(67'200'000, 'N')), HasSubstr("more than 64 MiB"));
}

TEST(Pth, ATensorLiesWithinItsStorage) {
  using namespace std::string_literals;
  const auto refused = [](const std::string& offset, const std::string& sizes,
                          const std::string& strides, const std::string& numel) {
    return refused_pickle(tensor(offset, sizes, strides, numel) + ".");
  };
  const std::string minus = "J\xFF\xFF\xFF\xFF"s,
                    huge = "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"s;
  const std::string none = "K\0"s, one = "K\1"s, two = "K\2"s;
  EXPECT_EQ(refused(none, two, one, two), "nothing was thrown");
  EXPECT_THAT(refused(one, two, one, two), HasSubstr("reaches to element 2"));
  EXPECT_THAT(refused(none, two, two, two), HasSubstr("reaches to element 2"));
  EXPECT_THAT(refused(none, two, huge, two), HasSubstr("reaches to element"));
  EXPECT_THAT(refused(one, two, huge, two), HasSubstr("strides overflow"));
  EXPECT_THAT(refused(minus, two, one, two), HasSubstr("are none of a tensor"));
  EXPECT_THAT(refused(none, minus, one, two), HasSubstr("are none of a tensor"));
  EXPECT_THAT(refused(none, two, minus, two), HasSubstr("are none of a tensor"));
  EXPECT_THAT(refused(none, two, one + one, two), HasSubstr("are none of a tensor"));
  EXPECT_EQ(refused(none, two + two, one + none, two), "nothing was thrown");
  const std::string many = "J\0\0\0\x04"s;  // 2^26 times one element
  EXPECT_THAT(refused(none, many, none, two), HasSubstr("contiguous()"));
  EXPECT_THAT(refused(none, two + two, one + one, two), HasSubstr("reaches to element 2"));
  EXPECT_THAT(refused(none, huge + huge, one + one, huge), HasSubstr("\"tensor\": "));
  EXPECT_THAT(refused(none, two, one, huge), HasSubstr("has 8 bytes"));
}

// However often it is said: a storage counts once, also where all of its tensors are refused.
TEST(Pth, RefusedTensorsMakeNoRoomForExpandedOnes) {
  using namespace std::string_literals;
  const std::string numel = "J\0\0\x04\0"s;              // 2^18, a mebibyte
  const std::string most = "\x8A\x07\0\0\0\0\0\0\x01"s;  // 2^48 of one element
  const std::string more = "J\0\0\0\x04"s;               // 2^26: 256 MiB
  std::string pickle = "\x80\x02]("s;
  for (int i = 0; i < 100; ++i) pickle += tensor("K\0"s, most, "K\0"s, numel);
  pickle += tensor("K\0"s, numel, "K\1"s, numel) + tensor("K\0"s, more, "K\0"s, numel) + "e.";
  detail::ZipWriter archive;
  archive.add("a/data.pkl", pickle, /*deflated=*/true);
  archive.add("a/data/0", std::string(1 << 20, '\0'), /*deflated=*/true);
  const MemoryFile file(std::move(archive).finish());
  const NamedTensors read = read_pth(file.path());
  EXPECT_EQ(read.size(), 1u);
  EXPECT_EQ(named(read, "100").shape(), Shape{1 << 18});
  EXPECT_EQ(read.refused.size(), 101u);
}

NamedTensors read_pickle(const std::string& pickle) {
  detail::ZipWriter archive;
  archive.add("a/data.pkl", "\x80\x02" + pickle + ".", /*deflated=*/true);
  archive.add("a/data/0", std::string(8, '\0'), /*deflated=*/false);
  const MemoryFile file(std::move(archive).finish());
  return read_pth(file.path());
}

// Python 2 gives an OrderedDict its pairs when it is made, Python 3 afterwards.
TEST(Pth, AnOrderedDictIsReadHoweverItIsFilled) {
  using namespace std::string_literals;
  const std::string ordered = "ccollections\nOrderedDict\n", key = "X\1\0\0\0"s;
  const std::string two = tensor("K\0"s, "K\2"s, "K\1"s, "K\2"s);
  for (const std::string& pickle :
       {ordered + ")R(" + key + "w" + two + key + "v" + two + "u",                        // 3
        ordered + "](](" + key + "w" + two + "e](" + key + "v" + two + "ee\x85R",         // 2
        ordered + "](" + key + "w" + two + "\x86" + key + "v" + two + "\x86" + "e\x85R",  // tuples
        ordered + "}(" + key + "w" + two + key + "v" + two + "u\x85R",
        "ccollections\ndefaultdict\nc__builtin__\nlist\n}(" + key + "w" + two + key + "v" + two +
            "u\x86R"}) {
    const NamedTensors read = read_pickle(pickle);
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].first, "w");
    EXPECT_EQ(read[1].first, "v");
  }
  EXPECT_THAT(refused_pickle(ordered + "](" + key + "w" + two + "e\x85R."),
              HasSubstr("the pickle is damaged"));
  EXPECT_THAT(
      refused_pickle("(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"s + "0X\3\0\0\0cpuK\2tQ."s),
      HasSubstr("a storage, which has no shape"));
}

// A network of the names and layouts of PyTorch's.
struct NetOfPyTorch : Module {
  Linear first{child("first"), 3, 3};
};

TEST(Pth, AModuleLoadsItInPyTorchsLayout) {
  const NetOfPyTorch net;
  net.load(data("state.pth"), {.rename = [](const std::string& name) {
             return name.starts_with("norm.") ? std::string() : name;
           }});
  EXPECT_TRUE(bitwise_equal(net.parameters()[0].value(),
                            Tensor::arange(9).reshape({3, 3}).transpose(0, 1)));
  EXPECT_THAT(message_of<ValueError>([&] { net.load(data("state.pth")); }),
              HasSubstr("no variable for `norm.weight`"));
}

TEST(Pth, DamagedFilesAreRefusedAndNothingElseHappens) {
  for (const std::string name : {"state.pth", "views.pth", "compressed.npz"}) {
    const std::string whole = read_file(data(name));
    const auto read = [&](const std::string& bytes) {
      const MemoryFile file(bytes);
      name.ends_with("npz") ? read_npz(file.path()) : read_pth(file.path());
    };
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THROW(read(whole.substr(0, size)), IoError) << name << " " << size;
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int change : {1, 0x80, 0xFF}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ change);
        try {
          read(changed);
        } catch (const IoError&) {
        }
      }
    }
  }
}

TEST(Npz, ReadsWhatNumPyWroteAndCompressed) {
  const Tensor x = Tensor::arange(600).reshape({20, 30});
  const NamedTensors compressed = read_npz(data("compressed.npz"));
  EXPECT_TRUE(bitwise_equal(named(compressed, "x"), x));
  EXPECT_TRUE(bitwise_equal(named(compressed, "y"), Tensor::from({2}, {1, 0}, DType::boolean)));
  EXPECT_TRUE(bitwise_equal(named(compressed, "turned"), x.slice(0, 0, 2).slice(1, 0, 3)));
  EXPECT_TRUE(bitwise_equal(named(read_npz(data("stored.npz")), "x"), Tensor::arange(30)));
  const TemporaryFolder folder;
  write_npz(folder.path() / "a.npz", {{"zeros", Tensor::zeros({1000, 1000})}},
            {.compressed = true});
  EXPECT_LT(std::filesystem::file_size(folder.path() / "a.npz"), 10'000u);
  EXPECT_TRUE(bitwise_equal(named(read_npz(folder.path() / "a.npz"), "zeros"),
                            Tensor::zeros({1000, 1000})));
}

// NumPy looks for the whole name of an entry first, and then for the one without its ending.
TEST(Npz, EveryArrayHasANameOfItsOwn) {
  const TemporaryFolder folder;
  write_npy(folder.path() / "one", Tensor::scalar(1));
  write_npy(folder.path() / "two", Tensor::scalar(2));
  detail::ZipWriter archive;
  archive.add("x.npy", read_file(folder.path() / "one"), /*deflated=*/false);
  archive.add("x", read_file(folder.path() / "two"), /*deflated=*/false);
  archive.add("y.npy", read_file(folder.path() / "one"), /*deflated=*/false);
  archive.add("y", "a text", /*deflated=*/false);
  const MemoryFile file(std::move(archive).finish());
  const NamedTensors read = read_npz(file.path());
  EXPECT_EQ(read.names(), "x.npy, x, y.npy");
  EXPECT_EQ(read["x.npy"].item(), 1);
  EXPECT_EQ(read["x"].item(), 2);
  EXPECT_THROW(read["y"], IoError);
}

TEST(Npy, ADtypeIsShownWithoutWhatATerminalObeys) {
  const TemporaryFolder folder;
  for (const std::string descr : {"<\x1B[2J", ">\x01", "\xFF"}) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': ()}\n";
    const std::string size = {static_cast<char>(header.size()), '\0'};
    const auto path = folder.file("a.npy", std::string("\x93NUMPY\x01\0", 8) + size + header);
    const std::string message = message_of<IoError>([&] { read_npy(path); });
    EXPECT_THAT(message, HasSubstr("are not read"));
    EXPECT_TRUE(std::ranges::all_of(message, [](char c) { return c >= ' ' && c != 127; }))
        << message;
  }
}

TEST(SafetensorsIndex, ReadsAllFilesThatItNames) {
  const TemporaryFolder folder;
  const Tensor a = Tensor::arange(3), b = Tensor::scalar(2);
  save_safetensors(folder.path() / "1.safetensors", {{"a", a}}, {{"format", "pt"}});
  save_safetensors(folder.path() / "2.safetensors", {{"b", b}}, {{"format", "pt"}});
  const auto index = [&](const std::string& map) {
    return folder.file("model.safetensors.index.json",
                       R"({"metadata": {"total_size": 16}, "weight_map": )" + map + "}");
  };
  const SafetensorsFile all =
      load_safetensors(index(R"({"b": "2.safetensors", "a": "1.safetensors"})"));
  EXPECT_EQ(all.tensors[0].first, "b");
  EXPECT_TRUE(bitwise_equal(all["a"], a));
  EXPECT_TRUE(bitwise_equal(all["b"], b));
  EXPECT_EQ(all.metadata.at("format"), "pt");
  const auto refused_index = [&](const std::string& map) {
    return message_of<IoError>([&] { load_safetensors(index(map)); });
  };
  EXPECT_THAT(refused_index(R"({"b": "1.safetensors"})"), HasSubstr("has no tensor \"b\""));
  EXPECT_THAT(refused_index(R"({"a": "../1.safetensors"})"), HasSubstr("in no file beside it"));
  EXPECT_THAT(refused_index(R"({"a": 3})"), HasSubstr("in no file beside it"));
  EXPECT_THAT(refused_index(R"({"a": "3.safetensors"})"), HasSubstr("3.safetensors: cannot read"));
  EXPECT_THAT(refused_index("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refused_index("{"), HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace aclgrad
