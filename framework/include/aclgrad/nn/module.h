// SPDX-License-Identifier: Apache-2.0
// Module: a part of a network that has variables, in a tree of such parts. A network of one's own
// is a struct of modules, called with a Value:
//
//   struct Block : Module {
//     using Module::Module;
//     LayerNorm norm{child("norm"), 64};
//     GegluFeedForward feed_forward{child("feed_forward"), 64, 172, 64};
//     Value operator()(const Value& x) const { return x + feed_forward(norm(x)); }
//   };
//   struct Network : Module {
//     Block first{child("blocks.0")}, second{child("blocks.1")};
//     Value operator()(const Value& x) const { return second(first(x)); }
//   };
//
// Its variables are called by their way through the tree: `blocks.0.norm.weight`. A module is a
// handle, as a Variable is: copies share the tree and its variables,
//
// and clone(network) is a copy that shares nothing with it.
//
// A module may be called in several graphs, which then share its variables. What it does in
// training only (dropout, statistics of batches), it does in graphs of Mode::training, and as long
// as it is not frozen, nor told to eval():
//
//   network.backbone.freeze();  // trains what is left: the head
//
// Initial values, and the keys of random masks, follow from the full name: parts of other names
// differ, whatever they are nested in, and the same program begins with the same values.
// seed_parameters(network, 7) begins the whole network with others.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/io/safetensors.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// Another name for one. Names with a prefix get it or lose it with these two; the second leaves
/// other names as they are.
using Rename = std::function<std::string(const std::string& name)>;
Rename with_prefix(std::string prefix);
Rename without_prefix(std::string prefix);

struct LoadOptions {
  /// Whether every variable must have its tensor, and every tensor of the file its variable; the
  /// optimizer's tensors in a checkpoint of a training run need none. Without it, what is on one
  /// side only is reported and left alone.
  bool strict = true;

  /// The file was written by PyTorch, which keeps the weight of a linear layer as [out, in]: those
  /// are transposed. What only one of the two libraries keeps (counts of batches and of random
  /// draws) is passed over. Where it is not said, the file decides: torch.save() wrote it, or its
  /// "format" is "pt", as of Hugging Face and save() for PyTorch; without these the layout is ours.
  std::optional<bool> from_pytorch = std::nullopt;

  /// Our name for a name in the file, where they differ; "" for a tensor to leave out. See
  /// with_prefix() and without_prefix().
  Rename rename = {};
};

struct SaveOptions {
  /// For load_state_dict() of PyTorch, with safetensors.torch.load_file(): weights of linear layers
  /// are written as [out, in], counts of random draws are left out. load() reads it, too.
  bool for_pytorch = false;

  /// The name in the file for one of ours, where they differ; "" for a tensor to leave out.
  Rename rename = {};
};

/// What was on one side only.
struct LoadReport {
  std::vector<std::string> missing;     ///< variables that the file has no tensor for
  std::vector<std::string> unexpected;  ///< tensors that no variable has the name of
};

class Module {
 private:
  struct Tree;

 public:
  /// Where a module stands: its name, or what child() of its parent returned; and, for messages,
  /// the line of the program that says so.
  class Name {
   public:
    using Where = std::source_location;
    Name(std::string path = {}, Where where = Where::current())  // NOLINT: converts
        : path_(std::move(path)), where_(where) {}
    Name(const char* path, Where where = Where::current())  // NOLINT: converts
        : path_(path), where_(where) {}
    const std::string& path() const { return path_; }

   private:
    friend class Module;
    std::string path_;
    Where where_;
    std::shared_ptr<Tree> parent_;
  };

  /// `kind` is what summary() calls it. Throws ValueError when the parent has a child of that name,
  /// and for a name with Variable::kMark.
  explicit Module(const Name& name = {}, std::string kind = {});

  /// Other handles on the same module, but for clone().
  Module(const Module& other);
  Module(Module&&) noexcept = default;
  Module& operator=(const Module& other);
  Module& operator=(Module&&) noexcept = default;
  ~Module() = default;

  /// "blocks.0.norm"; "" for the whole network.
  const std::string& path() const;

  /// The variables that an optimizer updates, frozen ones too (see trained_parameters()): the
  /// module's own, then its children's, as they were made; one that occurs twice is listed once.
  std::vector<Variable> parameters() const;

  /// How many numbers they have together.
  std::int64_t parameter_count() const;

  /// Those that are not: running statistics, counts of random draws.
  std::vector<Variable> buffers() const;

  /// Both: what a file of the network holds.
  std::vector<Variable> state() const;

  /// Converts parameters, and buffers of floating types, to a floating dtype: to(DType::float64) of
  /// a network makes what PyTorch's double() does. Running statistics become float32 at least.
  /// Throws DTypeError for another dtype. Before the optimizer's first step, and not while a
  /// session runs; a session that was made before refuses to run after.
  void to(DType dtype) const;

  /// The parameters that are not frozen, and those that are.
  std::vector<Variable> trained_parameters() const;
  std::vector<Variable> frozen_parameters() const;

  /// The values of trained_parameters() in a graph, for backward(): without frozen ones.
  std::vector<Value> parameters(const Graph& graph,
                                std::source_location where = std::source_location::current()) const;

  /// Takes this part and all that is below it out of training, or back into it. What is frozen has
  /// no gradient, no update and no weight decay, as the parameters of a graph leave it out; Dropout
  /// passes everything on, and batch normalization goes by its running statistics and keeps them.
  /// state(), files and checkpoints have it as before.
  ///
  /// This holds for what is recorded afterwards: a Trainer records its next step anew, other
  /// sessions stay as they are. A part that several modules share is frozen in all of them; one
  /// that is added later is not.
  void freeze() const;
  void unfreeze() const;

  /// Whether this part is frozen, itself or with one above it; parts below may differ.
  bool is_frozen() const;

  /// Takes this part and all that is below it out of Mode::training, or back into it, but trains
  /// its parameters: Dropout passes everything on, batch normalization goes by its running
  /// statistics and keeps them. Holds for what is recorded afterwards, as freeze() does.
  void eval() const;
  void train() const;

  /// Whether this part does what it does in training only: in graphs of Mode::training, unless it
  /// is frozen or told to eval(). What layers of one's own ask.
  bool is_training(const Graph& graph) const;

  /// For what keeps recorded graphs, as Trainer does: whether each part is frozen, and whether it
  /// was told to eval(), this one and those below in order; and how often any part of any module
  /// was told so far: while that count stays the same, so does the first.
  std::vector<bool> frozen_parts() const;
  static std::uint64_t freeze_count() noexcept;

  /// Writes state() to a safetensors file, whose metadata says in which layout. Throws IoError, and
  /// ValueError where two tensors are renamed alike.
  void save(const std::filesystem::path& path, const SaveOptions& options = {}) const;

  /// Assigns to each variable the tensor of its name, converted where both are floating, in a file
  /// of safetensors (or an index of several), torch.save() or a training run. Throws beforehand
  /// ValueError that lists what is missing or unexpected (see LoadOptions), and says so where all
  /// names of one side have a prefix more; ShapeError or DTypeError for a tensor that does not fit,
  /// IoError for a file that cannot be read.
  LoadReport load(const std::filesystem::path& path, const LoadOptions& options = {}) const;
  LoadReport load(const NamedTensors& tensors, const LoadOptions& options = {}) const;

  /// A table of the parts that have variables: name, kind, whether it is frozen, how many numbers
  /// its parameters have; and the sums. With a graph in which the module was called, also the
  /// shapes of what they returned.
  std::string summary() const;
  std::string summary(const Graph& graph) const;

 protected:
  /// The place of a part that belongs to this module. The name may have dots: "blocks.0". Throws
  /// ValueError for an empty one.
  Name child(const std::string& name,
             std::source_location where = std::source_location::current()) const;

  /// Makes a variable of this module: trained, or not. Throws ValueError for an empty name, and for
  /// one that another variable of the whole network has.
  Variable parameter(const std::string& name, const Tensor& initial) const;
  Variable buffer(const std::string& name, const Tensor& initial) const;

  /// Initial values drawn from a seed: `seed` plus the number of the module's parameters that were
  /// drawn before it. Without a seed, this module's path is the seed; where that changes, as the
  /// module is put into another, they are drawn again, unless the variable was assigned to.
  using Draw = std::function<Tensor(std::uint64_t seed)>;
  Variable parameter(const std::string& name, Draw initial,
                     std::optional<std::uint64_t> seed = std::nullopt) const;

  /// A sequence of random masks, whose seed follows in the same way. Its count of draws is a buffer
  /// of this name.
  Generator generator(const std::string& name,
                      std::optional<std::uint64_t> seed = std::nullopt) const;

  /// Says that PyTorch keeps this parameter's two axes the other way round.
  void mark_transposed_in_pytorch(const Variable& variable) const;

  /// Makes a part that was made elsewhere belong to this module: its name goes after this module's
  /// path, unless it belongs to another one already. Throws ValueError, and changes nothing, when
  /// two variables would have the same name, and for a part that this module is, or belongs to.
  void adopt(const Module& part) const;

 private:
  friend void seed_parameters(const Module& module, std::uint64_t seed);
  friend class WeightAverage;
  void write(const std::filesystem::path& path, NamedTensors tensors,
             const SaveOptions& options) const;
  template <class Change>
  void change_each(const Change& change) const;
  static std::shared_ptr<Tree> cloned(const std::shared_ptr<Tree>& tree);
  LoadReport load_from(const std::string& source, const NamedTensors& tensors,
                       const LoadOptions& options, bool from_pytorch, bool may_have_more,
                       std::vector<std::string> unexpected) const;
  std::string summary_of(const Graph* graph) const;
  std::shared_ptr<Tree> tree_;
};

namespace detail {

/// While it lives, copies that this thread makes of modules, variables and generators refer to
/// copies of what they refer to: the same copy of the same, however often it occurs.
class CloneScope {
 public:
  CloneScope();
  ~CloneScope();
  CloneScope(const CloneScope&) = delete;
  CloneScope& operator=(const CloneScope&) = delete;
};

}  // namespace detail

/// A copy of a network, or of a part of one, that shares nothing with it: variables with the same
/// names and contents, and what is frozen, is in the copy. It is made with the copy constructor, so
/// what that shares (what a pointer or a lambda's reference leads to) the clone shares, too. Not
/// while a session that updates the variables runs.
///
///   Network before = clone(network);  // `Network before = network` would train with it
template <std::derived_from<Module> M>
M clone(const M& module) {
  const detail::CloneScope scope;
  return M(module);
}

/// Draws the initial values of all parameters of a network anew, and the seeds of its random masks,
/// from this seed and the full name of each part; seeds given to layers do not count any more. To
/// be called before training: what was trained or loaded is lost. Values that are not drawn
/// (biases, scales of normalizations, counts of draws) stay as they are.
void seed_parameters(const Module& module, std::uint64_t seed);

/// The values of variables in a graph.
std::vector<Value> parameters(const Graph& graph, const std::vector<Variable>& variables,
                              std::source_location where = std::source_location::current());

}  // namespace aclgrad
