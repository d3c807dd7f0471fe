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
// handle, as a Variable is: copies share the tree and its variables.
//
// A module may be called in several graphs, which then share its variables. What it does in
// training only (dropout, statistics of batches), it does in graphs of Mode::training.
#ifndef ACLGRAD_MODULE_H_
#define ACLGRAD_MODULE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/safetensors.h"
#include "aclgrad/variable.h"

namespace aclgrad {

struct LoadOptions {
  /// Whether every variable must have its tensor, and every tensor of the file its variable; the
  /// optimizer's tensors in a checkpoint of a training run need none. Without it, what is on one
  /// side only is reported and left alone.
  bool strict = true;

  /// The file was written by PyTorch, which keeps the weight of a linear layer as [out, in]: those
  /// are transposed. What only one of the two libraries keeps (counts of batches and of random
  /// draws) is passed over.
  bool from_pytorch = false;

  /// Our name for a name in the file, where they differ; "" for a tensor to leave out.
  std::function<std::string(const std::string& name)> rename = {};
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
  /// Where a module stands: its name, or what child() of its parent returned.
  class Name {
   public:
    Name(std::string path = {}) : path_(std::move(path)) {}  // NOLINT: converts
    Name(const char* path) : path_(path) {}                  // NOLINT: converts
    const std::string& path() const { return path_; }

   private:
    friend class Module;
    std::string path_;
    std::shared_ptr<Tree> parent_;
  };

  /// `kind` is what summary() calls it. Throws ValueError when the parent has a child of that name.
  explicit Module(const Name& name = {}, std::string kind = {});

  /// "blocks.0.norm"; "" for the whole network.
  const std::string& path() const;

  /// The variables that are trained: the module's own, then its children's, in the order in which
  /// they were made; one that occurs twice is listed once.
  std::vector<Variable> parameters() const;

  /// How many numbers they have together.
  std::int64_t parameter_count() const;

  /// Those that are not: running statistics, counts of random draws.
  std::vector<Variable> buffers() const;

  /// Both: what a file of the network holds.
  std::vector<Variable> state() const;

  /// The values of parameters() in a graph: what to give to backward().
  std::vector<Value> parameters(const Graph& graph,
                                std::source_location where = std::source_location::current()) const;

  /// Writes state() to a safetensors file. Throws IoError.
  void save(const std::filesystem::path& path) const;

  /// Assigns to each variable the tensor of its name in a safetensors file or a checkpoint of a
  /// training run, converted where both are floating. Throws, before anything is assigned,
  /// ValueError that lists what is missing or unexpected (see LoadOptions), ShapeError or
  /// DTypeError for a tensor that does not fit, IoError for a file that cannot be read.
  LoadReport load(const std::filesystem::path& path, const LoadOptions& options = {}) const;
  LoadReport load(const NamedTensors& tensors, const LoadOptions& options = {}) const;

  /// A table of the parts that have variables: name, kind, numbers trained; and the sums. With a
  /// graph in which the module was called, also the shapes of what they returned.
  std::string summary() const;
  std::string summary(const Graph& graph) const;

 protected:
  /// The place of a part that belongs to this module. The name may have dots: "blocks.0".
  Name child(const std::string& name) const;

  /// Makes a variable of this module: trained, or not.
  Variable parameter(const std::string& name, const Tensor& initial) const;
  Variable buffer(const std::string& name, const Tensor& initial) const;

  /// Takes the count of a Generator's draws as a buffer, and names it.
  void adopt_counter(const std::string& name, const Variable& variable) const;

  /// Says that PyTorch keeps this parameter's two axes the other way round.
  void mark_transposed_in_pytorch(const Variable& variable) const;

  /// Makes a part that was made elsewhere belong to this module: its name goes after this module's
  /// path, unless it belongs to another one already. Throws ValueError when two variables would
  /// have the same name.
  void adopt(const Module& part) const;

 private:
  LoadReport load_from(const std::string& source, const NamedTensors& tensors,
                       const LoadOptions& options, bool may_have_more) const;
  std::string summary_of(const Graph* graph) const;
  static void rename(Tree& tree, const std::string& prefix);
  std::shared_ptr<Tree> tree_;
};

/// The values of variables in a graph.
std::vector<Value> parameters(const Graph& graph, const std::vector<Variable>& variables,
                              std::source_location where = std::source_location::current());

}  // namespace aclgrad

#endif  // ACLGRAD_MODULE_H_
