// SPDX-License-Identifier: Apache-2.0
// From files to batches: readers for CSV and IDX, a dataset of features and labels, seeded
// splitting, shuffling and batching, the usual preparation of features, and what a classifier got
// right. Everything random depends on nothing but the seeds given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/random.h"
#include "aclgrad/tensor.h"
#include "aclgrad/tensor/named_tensors.h"

namespace aclgrad::data {

struct CsvOptions {
  char delimiter = ',';  ///< neither part of a number (a letter, a digit, "+-.()_") nor a quote
  bool header = false;   ///< the first line holds column names and is skipped
  DType dtype = DType::float32;

  /// What an empty field stands for, as pandas writes a NaN; without it, one is an error.
  std::optional<double> missing = std::nullopt;
};

/// Reads a table of numbers into [rows, columns]. Lines, quotes, blanks and empty lines are as
/// read_table() says (table.h); lines that begin with '#' are left out, and are the header where
/// they come first, as np.savetxt() writes it. "True" and "False", as pandas and spreadsheets write
/// them, are 1 and 0; other numbers are read as strtod() reads them in the locale "C", whatever the
/// program's: "nan", "inf" and hexadecimal ones too, 1e400 as infinity and 1e-400 as 0. Floating
/// dtypes round them, which makes 1e39 infinite in float32; integer ones take only whole numbers in
/// their range. Throws IoError with file, line, column (both counted from 1) and what was found
/// there: a field that is no number or, of an integer dtype, does not fit it, a row of another
/// length than the first, a line of more than 16 MiB, no rows at all, no such file; a file of
/// another kind (of NumPy, a spreadsheet, a compressed one) says which, and what to do. Throws
/// ValueError for a delimiter that cannot be one.
Tensor read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

/// Reads an IDX file, the format of the MNIST images and labels: two zero bytes, a type byte, the
/// rank, 32-bit big-endian extents, big-endian data. The dtype is the file's: uint8, int8, int16,
/// int32, float32 or float64. Throws IoError when the file is damaged, shorter or longer than its
/// header says, or compressed.
Tensor read_idx(const std::filesystem::path& path);

/// Examples along axis 0 of every tensor: features [n, ...], labels [n] or [n, ...], and what else
/// an example has, by name: {.parts = {{"source", a}, {"begun", b}, {"target", c}}}. What stays an
/// empty Tensor is not there, where others have examples: there may be no labels, or only parts.
struct Dataset {
  Tensor features = {};
  Tensor labels = {};
  NamedTensors parts = {};

  /// Number of examples. Throws ShapeError when the tensors do not have equally many, ValueError
  /// for a part without a name, with that of another one, or with a '#' in it.
  std::int64_t size() const;

  /// What is there: "features", "labels", then the parts. Refers to this object. Throws as size().
  std::vector<std::pair<std::string, const Tensor*>> tensors() const;

  /// The examples between two places, [begin, end). Throws as size() and Tensor::slice().
  Dataset slice(std::int64_t begin, std::int64_t end) const;
};

/// The rows of a tensor along axis 0 in the order asked for. Throws ShapeError.
Tensor take_rows(const Tensor& tensor, std::span<const std::int64_t> rows);

/// The examples asked for.
Dataset take(const Dataset& dataset, std::span<const std::int64_t> rows);

/// What labels are: indices of classes, int64 [n]; or the targets of a regression, float32 [n, 1],
/// the shape of what a Linear with one output returns.
enum class Labels { classes, numbers };

/// The dataset in a table [n, columns], as read_csv() returns it: one column, counted from the end
/// where it is negative, holds the labels; the others are the features, float32. Throws ShapeError
/// for another rank or no such column; ValueError, with row and value, for a class that is no whole
/// number of 64 bits (a fraction, a NaN).
Dataset from_table(const Tensor& table, std::int64_t label_column = -1,
                   Labels labels = Labels::classes);

/// What split() returns.
struct Split {
  Dataset train;
  Dataset test;
};

/// Shuffles and cuts: round(train_fraction * n) examples to train, the rest to test.
/// Throws ValueError when the fraction is not in [0, 1].
Split split(const Dataset& dataset, double train_fraction, std::uint64_t seed);

/// Makes the examples of these numbers when a batch asks for them, windows of a text, say: as many
/// as there are numbers, in their order.
using Examples = std::function<Dataset(std::span<const std::int64_t> rows)>;

/// Shuffles and cuts into as many parts as there are fractions, which add up to 1: {0.8, 0.1, 0.1}
/// for training, validation and test. Throws ValueError for other fractions.
std::vector<Dataset> split(const Dataset& dataset, const std::vector<double>& fractions,
                           std::uint64_t seed);

/// Of threads that make batches.
inline constexpr std::int64_t kMostWorkers = 1024;

struct BatchOptions {
  std::int64_t batch_size = 32;
  bool shuffle = true;     ///< a new order each epoch, from (seed, epoch)
  bool drop_last = false;  ///< leave out a last batch smaller than the others
  std::uint64_t seed = 0;

  /// Draws the examples, with replacement, by these weights, one for each: at least 0 and finite,
  /// not all 0, of any sum (see balanced_weights()). Drawn anew each epoch, from (seed, epoch);
  /// `shuffle` has no part in it.
  std::vector<double> weights = {};
  std::int64_t samples_per_epoch = 0;  ///< with weights; 0: as many as there are examples

  /// So many threads make the next batches, up to two each, while one is worked on: in fit(), in a
  /// Loader, and where one goes through an epoch(). The batches are the same, in the same order,
  /// with any number of them. With several, what makes examples and changes batches is called by
  /// several at a time. 0: each batch is made when it is asked for. At most kMostWorkers. Where the
  /// system starts no more threads, what asks for the first batch throws Error.
  std::int64_t workers = 0;

  /// Changes every batch as it is made (see random_shift()): the same for the same `random`, which
  /// depends on seed, epoch and batch. It returns as many examples as it gets.
  std::function<Dataset(Dataset batch, const Random& random)> transform = {};
};

/// Weights by which each class is drawn equally often, however many examples it has, for
/// BatchOptions::weights: n / (classes count of the own class) for labels [n] of integers. Throws
/// ShapeError for another rank, DTypeError for labels that are no integers.
std::vector<double> balanced_weights(const Tensor& labels);

/// The same weights by class, float32 [classes], for a loss that has them (CrossEntropyOptions): n
/// / (classes with examples * count of the class), 0 for a class that has none. Throws as
/// balanced_weights(), and ValueError for a label outside 0 .. classes - 1.
Tensor class_weights(const Tensor& labels, std::int64_t classes);

/// Images [n, c, h, w], each moved by up to `pixels`, 0 to 2^40, in both directions; what comes in
/// is 0.
Tensor random_shift(const Tensor& images, std::int64_t pixels, const Random& random);

/// Images [n, c, h, w], each mirrored, left to right, with probability 1/2.
Tensor random_flip(const Tensor& images, const Random& random);

/// A place in the order of batches: the batch that is to come next.
struct Position {
  std::uint64_t epoch = 0;
  std::int64_t batch = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

/// A dataset in batches:
///
///   Batches batches(dataset, {.batch_size = 16, .seed = 7});
///   for (std::uint64_t epoch = 0; epoch < 10; ++epoch)
///     for (const Dataset& batch : batches.epoch(epoch)) ...
class Batches {
 public:
  class Epoch;

  /// Throws ValueError for options out of their ranges, and for weights of another number than
  /// there are examples; ShapeError for tensors that do not fit together.
  Batches(Dataset dataset, BatchOptions options);

  /// Of `count` examples that a function makes; it is called from whatever thread asks for a batch.
  Batches(std::int64_t count, Examples examples, BatchOptions options);

  std::int64_t batches_per_epoch() const noexcept;

  /// Number of examples.
  std::int64_t size() const noexcept { return count_; }

  /// The batches of one epoch, each made when it is reached, or ahead by BatchOptions::workers, who
  /// end with the loop; what one throws is thrown where its batch is reached. Refers to this
  /// object. Throws ValueError where the numbers of all examples do not fit into memory.
  Epoch epoch(std::uint64_t number) const&;
  Epoch epoch(std::uint64_t number) const&& = delete;

  /// One batch. Throws ShapeError for one that the epoch does not have, and where the function that
  /// makes examples, or the transform, returns another number of them than it was asked for.
  Dataset batch(Position position) const;

  /// The place after this one.
  Position after(Position position) const noexcept;

  /// What the order of the examples depends on: "1437 examples in batches of 64, shuffled with seed
  /// 1, the rest dropped"; weights by a checksum. A position means the same batch where this text
  /// is the same.
  std::string description() const;

  const BatchOptions& options() const noexcept { return options_; }

 private:
  friend class Loader;
  std::vector<std::int64_t> order_of(std::uint64_t epoch) const;
  bool has_order() const { return options_.shuffle || weights_; }  // other than 0, 1, 2, ...
  std::pair<std::int64_t, std::int64_t> rows_of_batch(std::int64_t batch) const;  // first, count
  Dataset make(std::span<const std::int64_t> rows, Position position) const;

  std::int64_t count_;
  std::int64_t epoch_size_;  // examples drawn in an epoch
  Examples examples_;
  BatchOptions options_;
  std::shared_ptr<const std::vector<double>> weights_;  // their sums so far; null without
};

/// Batches one after the other, epoch after epoch, made ahead by BatchOptions::workers:
///
///   Loader loader(batches, {.epoch = 2});
///   while (loader.position().epoch < 4) trainer.step(loader.next());
class Loader {
 public:
  /// Refers to the batches, and goes on to the end of time, or for `count` batches, so that none is
  /// made in vain. Throws ValueError where an epoch has no batch.
  explicit Loader(const Batches& batches, Position begin = {},
                  std::int64_t count = std::numeric_limits<std::int64_t>::max());
  Loader(const Batches& batches, Position begin, std::int64_t count, std::int64_t workers);

  /// Waits for batches that are being made, and forgets them.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// What making a batch throws, on whatever thread, is thrown by the call that would return it,
  /// and the next call tries again. Throws ValueError after the last of `count`.
  Dataset next();

  /// Of the batch that next() returns.
  Position position() const noexcept { return position_; }

 private:
  class Workers;
  std::shared_ptr<const Batches::Epoch> epoch(std::uint64_t number);
  Dataset make(Position position);

  const Batches& batches_;
  Position position_;
  std::int64_t left_;
  std::int64_t worker_count_;
  std::mutex mutex_;  // of epochs_
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const Batches::Epoch>>> epochs_;
  std::unique_ptr<Workers> workers_;  // while they work
};

/// The batches of one epoch, in their order, for a loop.
class Batches::Epoch {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Dataset;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Dataset;

    Iterator(const Epoch* epoch, std::int64_t index) : epoch_(epoch), index_(index) {}
    Dataset operator*() const;
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    void operator++(int) { ++index_; }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.epoch_ == b.epoch_ && a.index_ == b.index_;
    }

   private:
    struct Ahead;
    const Epoch* epoch_;
    std::int64_t index_;
    mutable std::shared_ptr<Ahead> ahead_;  // with workers: what they make, from the first read on
  };

  std::int64_t size() const noexcept { return batches_->batches_per_epoch(); }
  Dataset operator[](std::int64_t batch) const;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  friend class Batches;
  Epoch(const Batches* batches, std::uint64_t number, std::vector<std::int64_t> order);

  const Batches* batches_;
  std::uint64_t number_;
  std::vector<std::int64_t> order_;
};

struct StandardizerOptions {
  /// Mean and standard deviation are those of the numbers beside a NaN, which stays one; else a NaN
  /// throws.
  bool skip_nan = false;
};

/// Moves every column to mean 0 and standard deviation 1, by what it saw in the training features.
class Standardizer {
 public:
  /// Mean and (population) standard deviation of each column of [n, columns], n > 0; a constant
  /// column is only shifted. Throws ShapeError, and ValueError with row and column for a number
  /// that is not finite, and for a column of nothing but NaN.
  explicit Standardizer(const Tensor& features, const StandardizerOptions& options = {});

  /// (features - mean) / standard deviation, of the same shape and floating dtype; of integers
  /// float32. Throws ShapeError.
  Tensor operator()(const Tensor& features) const;

  /// The way back, of predictions say: features standard deviation + mean.
  Tensor inverse(const Tensor& standardized) const;

  /// Means and standard deviations, float64 [2, columns], to keep in a file beside the weights:
  /// what was trained on standardized data must predict from such.
  Tensor state() const;

  /// The one whose state() this is. Throws ShapeError for another rank or number of rows,
  /// ValueError for a number that is not finite and a standard deviation that is not above 0.
  static Standardizer from_state(const Tensor& state);

  const std::vector<double>& means() const noexcept { return means_; }
  const std::vector<double>& stddevs() const noexcept { return stddevs_; }

 private:
  Standardizer() = default;
  template <class Function>
  Tensor moved(const Tensor& features, const Function& function) const;

  std::vector<double> means_;
  std::vector<double> stddevs_;
};

/// Both parts moved to mean 0 and standard deviation 1 by what all training features together have:
/// for images, whose pixels are alike.
Split standardized(const Split& split);

/// factor * value + offset for every element, as float32: rescale(images, 1.0 / 255).
Tensor rescale(const Tensor& tensor, double factor, double offset = 0);

/// Class numbers [n] to [n, classes] with a one in the column of the class. Throws ValueError for a
/// label that is not a whole number in [0, classes), ShapeError for labels that are not rank 1.
Tensor one_hot(const Tensor& labels, std::int64_t classes, DType dtype = DType::float32);

/// The class with the largest score in each row of [n, classes], the first of several, a NaN where
/// there is one: int64 [n]. Throws ShapeError for scores that are not rank 2, or of no class.
Tensor argmax(const Tensor& scores);

/// The share, from 0 to 1, of classes [n] that were predicted right. Throws ShapeError for tensors
/// that are not rank 1 and equally long, or are empty.
double accuracy(const Tensor& predicted, const Tensor& actual);

/// How often what is of class i was predicted as class j: int64 [classes, classes], at [i, j].
/// Throws ShapeError for tensors that are not rank 1 and equally long, ValueError for a class
/// outside 0 .. classes - 1.
Tensor confusion_matrix(const Tensor& predicted, const Tensor& actual, std::int64_t classes);

/// What class_scores() returns, by class.
struct ClassScores {
  std::vector<double> precision;     ///< the share of what was predicted as the class that is of it
  std::vector<double> recall;        ///< the share of what is of the class that was predicted so
  std::vector<double> f1;            ///< their harmonic mean
  std::vector<std::int64_t> counts;  ///< examples of the class
};

/// A share of nothing, of a class that was never predicted say, is 0. Throws as confusion_matrix().
ClassScores class_scores(const Tensor& predicted, const Tensor& actual, std::int64_t classes);

}  // namespace aclgrad::data
