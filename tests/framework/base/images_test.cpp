// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/data/images.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "aclgrad/error.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/memory_file.h"
#include "tests/support/message_of.h"
#include "tests/support/png_chunk.h"

namespace aclgrad::data::images_test {
namespace {

using testing::HasSubstr;

// A PNG file of rows that begin with their filter.
struct Png {
  std::uint32_t width = 1, height = 1;
  int bits = 8, colour = 0, interlaced = 0;
  std::string rows = {};
  std::string before = {};  // chunks before the pixels

  std::string bytes() const {
    const std::string header = big_endian(width) + big_endian(height) + static_cast<char>(bits) +
                               static_cast<char>(colour) + std::string(2, '\0') +
                               static_cast<char>(interlaced);
    const std::string packed = zlib_packed(rows);
    const std::size_t half = packed.size() / 2;  // the pixels may lie in several parts
    return std::string(kPngSignature) + png_chunk("IHDR", header) + before +
           png_chunk("tEXt", "Comment") + png_chunk("IDAT", packed.substr(0, half)) +
           png_chunk("IDAT", packed.substr(half)) + png_chunk("IEND", "");
  }
};

Tensor read(const Png& png, const ImageOptions& options = {.dtype = DType::uint8}) {
  return read_png(MemoryFile(png.bytes()).path(), options);
}

Tensor bytes(const Shape& shape, const std::vector<double>& values) {
  return Tensor::from(shape, values, DType::uint8);
}

std::string refused(const Png& png) {
  return message_of<IoError>([&] { read(png); });
}

std::string row(std::initializer_list<int> values) {
  std::string all;
  for (const int value : values) all += static_cast<char>(value);
  return all;
}

TEST(ReadPng, GivesChannelsThenRows) {
  const Png rgb{.width = 2, .height = 1, .colour = 2, .rows = row({0, 1, 2, 3, 4, 5, 255})};
  EXPECT_TRUE(bitwise_equal(read(rgb), bytes({3, 1, 2}, {1, 4, 2, 5, 3, 255})));
  const Tensor floats = read(rgb, {});
  EXPECT_EQ(floats.dtype(), DType::float32);
  EXPECT_EQ(floats.get(5), 1);
  EXPECT_EQ(floats.get(0), static_cast<double>(1.0F / 255));
  const Png rgba{.colour = 6, .rows = row({0, 10, 20, 30, 40})};
  EXPECT_TRUE(bitwise_equal(read(rgba), bytes({4, 1, 1}, {10, 20, 30, 40})));
  const Png grey_alpha{.colour = 4, .rows = row({0, 10, 40})};
  EXPECT_TRUE(bitwise_equal(read(grey_alpha), bytes({2, 1, 1}, {10, 40})));
}

TEST(ReadPng, ConvertsChannels) {
  const auto as = [](const Png& png, std::int64_t channels) {
    return read(png, {.channels = channels, .dtype = DType::uint8});
  };
  const Png grey{.rows = row({0, 7})}, rgb{.colour = 2, .rows = row({0, 10, 20, 30})};
  const Png rgba{.colour = 6, .rows = row({0, 10, 20, 30, 40})};
  const Png grey_alpha{.colour = 4, .rows = row({0, 10, 40})};
  EXPECT_TRUE(bitwise_equal(as(grey, 3), bytes({3, 1, 1}, {7, 7, 7})));
  EXPECT_TRUE(bitwise_equal(as(grey, 4), bytes({4, 1, 1}, {7, 7, 7, 255})));
  EXPECT_TRUE(bitwise_equal(as(rgb, 1), bytes({1, 1, 1}, {18})));  // 2.99 + 11.74 + 3.42
  EXPECT_TRUE(bitwise_equal(as(rgb, 4), bytes({4, 1, 1}, {10, 20, 30, 255})));
  EXPECT_TRUE(bitwise_equal(as(rgba, 3), bytes({3, 1, 1}, {10, 20, 30})));
  EXPECT_TRUE(bitwise_equal(as(rgba, 1), bytes({1, 1, 1}, {18})));
  EXPECT_TRUE(bitwise_equal(as(grey_alpha, 1), bytes({1, 1, 1}, {10})));
  EXPECT_TRUE(bitwise_equal(as(grey_alpha, 4), bytes({4, 1, 1}, {10, 10, 10, 40})));
}

TEST(ReadPng, ReadsEveryDepth) {
  const auto pixels = [](int bits, const std::string& line) {
    return read({.width = 3, .bits = bits, .rows = line});
  };
  EXPECT_TRUE(bitwise_equal(pixels(1, row({0, 0b10100000})), bytes({1, 1, 3}, {255, 0, 255})));
  EXPECT_TRUE(bitwise_equal(pixels(2, row({0, 0b00011000})), bytes({1, 1, 3}, {0, 85, 170})));
  EXPECT_TRUE(bitwise_equal(pixels(4, row({0, 0x1F, 0x20})), bytes({1, 1, 3}, {17, 255, 34})));
  const Png deep{.width = 3, .bits = 16, .rows = row({0, 0, 1, 0x80, 0, 0xFF, 0xFF})};
  EXPECT_TRUE(
      bitwise_equal(read(deep, {}), Tensor::from({1, 1, 3}, {1.0 / 65535, 32768.0 / 65535, 1})));
  EXPECT_TRUE(bitwise_equal(read(deep), bytes({1, 1, 3}, {0, 128, 255})));
}

TEST(ReadPng, LooksColoursUpInAPalette) {
  const std::string palette = png_chunk("PLTE", row({10, 20, 30, 40, 50, 60}));
  Png png{.width = 2, .bits = 1, .colour = 3, .rows = row({0, 0b01000000}), .before = palette};
  EXPECT_TRUE(bitwise_equal(read(png), bytes({3, 1, 2}, {10, 40, 20, 50, 30, 60})));
  png.before += png_chunk("tRNS", row({7}));
  EXPECT_TRUE(bitwise_equal(read(png), bytes({4, 1, 2}, {10, 40, 20, 50, 30, 60, 7, 255})));
  png.bits = 8;
  png.rows = row({0, 0, 2});
  EXPECT_THAT(refused(png), HasSubstr("colour 2 of a palette of 2"));
  png.before = png_chunk("PLTE", row({1, 2}));
  EXPECT_THAT(refused(png), HasSubstr("PLTE: invalid"));
  png.before = {};
  EXPECT_THAT(refused(png), HasSubstr("Missing PLTE"));
}

// Of four by four, the pixels of seven passes one after the other.
TEST(ReadPng, ReadsInterlacedPictures) {
  const Png png{.width = 4, .height = 4, .interlaced = 1, .rows = row({0, 0, 0, 2,  0,  8,  10, 0,
                                                                       1, 3, 0, 9,  11, 0,  4,  5,
                                                                       6, 7, 0, 12, 13, 14, 15})};
  EXPECT_TRUE(bitwise_equal(read(png), Tensor::arange(16, 0, 1, DType::uint8).reshape({1, 4, 4})));
}

TEST(ReadPng, RefusesWhatItCannotRead) {
  EXPECT_THAT(refused({.bits = 3, .rows = row({0, 1})}), HasSubstr("Invalid bit depth"));
  EXPECT_THAT(refused({.bits = 4, .colour = 2, .rows = row({0, 1})}),
              HasSubstr("Invalid color type/bit depth combination"));
  EXPECT_THAT(refused({.colour = 9, .rows = row({0, 1})}), HasSubstr("Invalid color type"));
  EXPECT_THAT(refused({.width = 0, .rows = row({0, 1})}), HasSubstr("Image width is zero"));
  EXPECT_THAT(refused({.rows = row({5, 1})}), HasSubstr("bad adaptive filter value"));
  EXPECT_THAT(refused({.rows = row({0})}), HasSubstr("Not enough image data"));
  EXPECT_THAT(refused({.rows = row({0, 1, 2})}), HasSubstr("Too much image data"));
  EXPECT_THAT(refused({.width = 0x7FFFFFFF, .height = 0x7FFFFFFF}), HasSubstr("more than 2^28"));
  EXPECT_THAT(refused({.width = 1 << 14, .height = 1 << 14}), HasSubstr("cannot have become"));
  EXPECT_THAT(refused({.rows = row({0, 1}), .before = png_chunk("ABCD", "")}), HasSubstr("ABCD"));
  const auto refused_file = [](const std::string& content) {
    return message_of<IoError>([&] { read_png(MemoryFile(content).path()); });
  };
  EXPECT_THAT(refused_file("\xFF\xD8\xFF\xE0"), HasSubstr("a JPEG picture: convert it to PNG"));
  EXPECT_THAT(refused_file("text"), HasSubstr("does not begin as a PNG file does"));
  EXPECT_THROW(read_png("/nowhere.png"), IoError);
  const std::string whole = Png{.width = 2, .height = 2, .rows = row({0, 1, 2, 1, 3, 4})}.bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    EXPECT_NE(refused_file(whole.substr(0, at)), "nothing was thrown") << at;
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_NE(refused_file(changed), "nothing was thrown") << at;
  }
}

TEST(ReadPng, OptionsAreInTheirRanges) {
  const Png grey{.rows = row({0, 7})};
  EXPECT_THAT(message_of<ValueError>([&] { read(grey, {.channels = 2}); }),
              HasSubstr("1, 3 or 4 channels, not 2"));
  EXPECT_THAT(message_of<ValueError>([&] { read(grey, {.height = 3}); }),
              HasSubstr("given together"));
  EXPECT_THROW(read(grey, {.height = -1, .width = -1}), ValueError);
  EXPECT_THROW(read(grey, {.dtype = DType::bfloat16}), DTypeError);
  EXPECT_EQ(read(grey, {.height = 3, .width = 2}).shape(), (Shape{1, 3, 2}));
}

// The numbers are those of Pillow 9.4, Image.resize(..., Image.BILINEAR).
TEST(Resize, IsPillowsBilinear) {
  Tensor image = Tensor::zeros({4, 5});
  for (int i = 0; i < 20; ++i) image.set(i, 7 * i * i % 23);
  const auto expect = [&](std::int64_t height, std::int64_t width,
                          const std::vector<double>& values) {
    const Tensor small = resize(image, height, width);
    ASSERT_EQ(small.shape(), (Shape{height, width}));
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(small.get(static_cast<std::int64_t>(i)), values[i], 1e-4) << i;
    }
  };
  expect(1, 1, {15.10965});
  expect(2, 3, {10.73469, 14.04762, 15.55102, 14.97959, 18.57143, 14.87755});
  expect(2, 5,
         {7.42857, 15.14286, 13.85714, 13.42857, 17.14286, 11.0, 20.28572, 20.57143, 11.85714,
          17.14286});
  expect(6, 7,
         {0.0,      4.0,      6.42857,  5.0,      13.57143, 18.28572, 20.0,     7.0,      11.28571,
          14.07143, 13.0,     13.71428, 15.5,     17.5,     13.33333, 18.0,     21.2619,  20.66667,
          13.64286, 12.61905, 15.0,     10.66667, 15.71429, 19.45238, 19.33333, 12.78571, 12.2381,
          15.0,     10.5,     15.92857, 20.14286, 20.5,     14.42857, 14.35714, 17.5,     11.0,
          16.71428, 21.28572, 22.0,     16.28572, 16.57143, 20.0});
  EXPECT_TRUE(bitwise_equal(resize(image, 4, 5), image));
  const Tensor batch = Tensor::full({2, 3, 4, 4}, 9, DType::uint8);
  EXPECT_TRUE(bitwise_equal(resize(batch, 7, 3), Tensor::full({2, 3, 7, 3}, 9, DType::uint8)));
  EXPECT_THROW(resize(image, 0, 1), ValueError);
  EXPECT_THROW(resize(image, 1, 65'537), ValueError);
  EXPECT_THROW(resize(Tensor::zeros({3}), 1, 1), ShapeError);
  EXPECT_THROW(resize(Tensor::zeros({0, 2, 2}), 1, 1), ShapeError);
  EXPECT_THROW(resize(Tensor::zeros({2, 2}, DType::int32), 1, 1), DTypeError);
}

class ImageFolderTest : public testing::Test {
 protected:
  void put_text(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    folder_.file(name, content);
  }
  void put(const std::string& name, const Png& png) const { put_text(name, png.bytes()); }
  ImageFolder all(const ImageOptions& options = {.dtype = DType::uint8}) const {
    return image_folder(folder_.path(), options);
  }
  std::string refused(const ImageOptions& options = {}) const {
    return message_of<IoError>([&] { all(options); });
  }
  const TemporaryFolder folder_;
};

TEST_F(ImageFolderTest, ReadsClassesInTheOrderOfTheirNames) {
  put("rose/b.PNG", {.rows = row({0, 3})});
  put("rose/a.png", {.rows = row({0, 2})});
  put("daisy/more/1.png", {.rows = row({0, 1})});
  put_text("daisy/notes.txt", "no picture");
  put_text("daisy/.hidden.png", "none either");
  put_text("labels.csv", "1");
  const ImageFolder flowers = all();
  EXPECT_THAT(flowers.classes, testing::ElementsAre("daisy", "rose"));
  EXPECT_TRUE(bitwise_equal(flowers.images.features, bytes({3, 1, 1, 1}, {1, 2, 3})));
  EXPECT_TRUE(bitwise_equal(flowers.images.labels, Tensor::from({3}, {0, 1, 1}, DType::int64)));
  EXPECT_EQ(flowers.paths[0], folder_.path() / "daisy/more/1.png");
}

TEST_F(ImageFolderTest, PicturesAreAlikeOrMadeSo) {
  put("a/1.png", {.width = 2, .rows = row({0, 3, 3})});
  put("a/2.png", {.colour = 2, .rows = row({0, 9, 9, 9})});
  EXPECT_THAT(refused(), testing::AllOf(HasSubstr("2.png: its shape"), HasSubstr("[3, 1, 1]"),
                                        HasSubstr("`.channels = 3`")));
  EXPECT_EQ(all({.channels = 3, .height = 4, .width = 4}).images.features.shape(),
            (Shape{2, 3, 4, 4}));
}

TEST_F(ImageFolderTest, SaysWhatIsMissing) {
  EXPECT_THAT(refused(), HasSubstr("path/class/name.png"));
  std::filesystem::create_directory(folder_.path() / "a");
  EXPECT_THAT(refused(), HasSubstr("a: the folder of a class has no PNG pictures"));
  put_text("a/1.jpg", "");
  EXPECT_THAT(refused(), HasSubstr("1.jpg: only PNG pictures are read: convert it"));
  std::filesystem::remove(folder_.path() / "a/1.jpg");
  put_text("a/1.png", "text");
  EXPECT_THAT(refused(), HasSubstr("1.png: not a sound PNG picture"));
  EXPECT_THAT(message_of<IoError>([] { image_folder("/nowhere"); }),
              HasSubstr("cannot read the folder"));
}

TEST(WritePng, IsReadAgain) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.png";
  RandomSequence random(2);
  for (const Shape& shape :
       {Shape{3, 5}, Shape{1, 1, 1}, Shape{2, 4, 3}, Shape{3, 7, 2}, Shape{4, 1, 9}}) {
    Tensor picture = Tensor::zeros(shape, DType::uint8);
    for (std::int64_t i = 0; i < picture.numel(); ++i) {
      picture.set(i, static_cast<double>(random.below(256)));
    }
    write_png(path, picture);
    const Tensor again = read_png(path, {.dtype = DType::uint8});
    EXPECT_TRUE(bitwise_equal(again.reshape(shape), picture)) << to_string(shape);
  }
}

TEST(WritePng, TakesNumbersFromBlackToWhite) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.png";
  write_png(path, Tensor::from({1, 2}, {0.5, 1}, DType::float16));
  EXPECT_TRUE(bitwise_equal(read_png(path, {.dtype = DType::uint8}),
                            Tensor::from({1, 1, 2}, {128, 255}, DType::uint8)));
  for (const double bad : {-0.01, 1.01, std::nan("")}) {
    EXPECT_THROW(write_png(path, Tensor::from({1, 2}, {0, bad})), ValueError);
  }
  EXPECT_THROW(write_png(path, Tensor::zeros({5, 1, 1})), ShapeError);
  EXPECT_THROW(write_png(path, Tensor::zeros({3, 0, 1})), ShapeError);
  EXPECT_THROW(write_png(path, Tensor::zeros({1, 1}, DType::int32)), DTypeError);
  EXPECT_THROW(write_png(folder.path() / "no" / "a.png", Tensor::zeros({1, 1})), IoError);
  EXPECT_EQ(read_png(path, {.dtype = DType::uint8}).get(0), 128);  // what was there is there
}

}  // namespace
}  // namespace aclgrad::data::images_test
