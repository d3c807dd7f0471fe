// SPDX-License-Identifier: Apache-2.0
// What a function that writes a node is given (Call), and the table of these functions by Op.
//
// A network is recorded for several sizes of the batch. What is the same in all recordings is
// written as it is; an extent or a number that is not is a whole number and a multiple of the
// batch (Extent), which the file computes from the shape of an input.
#pragma once

#include <functional>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"
#include "onnx/export/term.h"

namespace aclgrad::onnx::saving {

/// constant + per_batch N.
struct Extent {
  std::int64_t constant = 0;
  std::int64_t per_batch = 0;
  bool is_fixed() const { return per_batch == 0; }
  friend bool operator==(const Extent&, const Extent&) = default;
};
using Extents = std::vector<Extent>;

/// That cannot be said in ONNX: of the node that is being written.
struct Unsayable {
  std::string why;
};
[[noreturn]] inline void refuse(std::string why) { throw Unsayable{std::move(why)}; }

class Exporter;

class Call {
 public:
  Call(Exporter& exporter, const Node& node) : exporter_(exporter), node_(node) {}

  const Node& node() const { return node_; }
  std::size_t input_count() const { return node_.inputs.size(); }
  bool is_needed(std::size_t output) const;

  Term input(std::size_t index) const;
  /// In float32 where it has 16 bits: for what is composed. `narrowed` gives the result back in
  /// the dtype of output 0.
  Term wide(std::size_t index) const;
  /// In float32 where it is bfloat16, which older operators do not take.
  Term usual(std::size_t index) const;
  Term narrowed(const Term& result) const { return cast(result, output_dtype()); }
  std::vector<Term> inputs() const;
  /// Those from `begin` on, in the dtype that they promote to.
  std::vector<Term> promoted(std::size_t begin = 0) const;
  /// The node that makes an input.
  const Node& maker_of(std::size_t input) const;

  /// Of an input, for the first recording.
  const Shape& shape(std::size_t input) const;
  std::int64_t rank(std::size_t input) const;
  const Shape& output_shape(std::size_t output = 0) const;
  DType dtype(std::size_t input) const;
  DType output_dtype(std::size_t output = 0) const;

  Extents extents(std::size_t input) const;
  Extents output_extents(std::size_t output = 0) const;
  /// Extents that the batch does not decide. Throws Unsayable.
  std::int64_t fixed(const Extent& extent, std::string_view what) const;

  /// An attribute as a function of the batch.
  template <class OpType, class Get>
  Extent extent_of(Get get) const {
    return extent_of_op([&](const Op& op) { return get(static_cast<const OpType&>(op)); });
  }
  bool is_same_in_all() const;  ///< whether the attributes do not depend on the batch

  /// Extents as a list of int64 [rank], and one as int64 [1].
  Term list(const Extents& extents) const;
  /// x under other extents, with as many elements.
  Term reshape_to(const Term& x, const Extents& extents) const;
  /// A number, of that dtype and of rank 0.
  Term scalar(const Extent& extent, DType dtype) const;

  /// A term to stand beside, where a node has no input.
  Term anything() const;

  /// What is made once for the whole file, by its name.
  Term shared(const std::string& name, const std::function<Term()>& make) const;

  /// The tensor of a constant node in each recording, the smallest first.
  std::vector<const Tensor*> constants() const;

 private:
  Extent extent_of_op(const std::function<std::int64_t(const Op&)>& get) const;

  Exporter& exporter_;
  const Node& node_;
};

/// Writes a node, and returns its outputs, of which those that nothing reads may lack.
using Write = std::function<std::vector<Term>(const Op& op, Call& call)>;

class Table {
 public:
  struct Row {
    Write write;
    bool knows_batch = false;             // looks at the attributes of all recordings
    std::vector<std::size_t> reads = {};  // the inputs that count, where not all do
    bool is_refused = false;              // says why it cannot be written
  };

  /// write(op, call) of that Op, which returns a Term or several.
  template <class OpType, class Function>
  Row& add(Function write) {
    return rows_[typeid(OpType)] = {[write](const Op& op, Call& call) {
             return all(write(static_cast<const OpType&>(op), call));
           }};
  }
  /// The operator of ONNX of that name, of the same inputs, without attributes.
  template <class OpType>
  void same(std::string name) {
    add<OpType>([name](const OpType&, Call& call) {
      std::vector<Term> inputs;
      for (std::size_t k = 0; k < call.input_count(); ++k) inputs.push_back(call.usual(k));
      return call.narrowed(op(name, inputs));
    });
  }

  /// Nodes that there are no words for, with the reason: "ONNX has no ...".
  template <class... OpTypes>
  void refused(std::string why) {
    (..., refuse_type(typeid(OpTypes), why));
  }

  const Row* find(const Op& op) const { return find(std::type_index(typeid(op))); }
  const Row* find(std::type_index type) const;

 private:
  void refuse_type(std::type_index type, const std::string& why);
  static std::vector<Term> all(Term one) { return {std::move(one)}; }
  static std::vector<Term> all(std::vector<Term> several) { return several; }

  std::unordered_map<std::type_index, Row> rows_;
};

/// Pads of ONNX, first all beginnings and then all ends, from ours: pairs, from the last dimension
/// on.
Ints onnx_pads(const Ints& pads, std::size_t rank);

/// Dropout that drops, with masks that the runtime draws.
Term dropped(const Term& x, double p);

void add_activations(Table& table);
void add_arithmetic(Table& table);
void add_attention(Table& table);
void add_convolutions(Table& table);
void add_functions(Table& table);
void add_indices(Table& table);
void add_linear_algebra(Table& table);
void add_logic(Table& table);
void add_losses(Table& table);
void add_normalizations(Table& table);
void add_ordering(Table& table);
void add_pooling(Table& table);
void add_products(Table& table);
void add_random(Table& table);
void add_recurrent(Table& table);
void add_reductions(Table& table);
void add_refusals(Table& table);
void add_resampling(Table& table);
void add_rounding(Table& table);
void add_shapes(Table& table);

/// All of them.
const Table& table();

}  // namespace aclgrad::onnx::saving
