// SPDX-License-Identifier: Apache-2.0
// The networks of the examples that classify pictures.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_NETWORK_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_NETWORK_H_

#include <aclgrad/data.h>
#include <aclgrad/nn.h>
#include <aclgrad/session.h>

#include <string>
#include <vector>

// Widths from the pixels to the classes: {784, 256, 128, 10}.
using Widths = std::vector<std::int64_t>;

// Linear layers with an activation ("selu", "elu", "hardswish", "geglu") after each but the last.
// GEGLU halves its input, so the layers before it are made twice as wide.
aclgrad::Sequential make_network(const std::string& activation, const Widths& widths,
                                 std::uint64_t seed);

// The network's scores in a graph, as float32; the activations before them are of `dtype`.
aclgrad::Value scores_of(const aclgrad::Sequential& network, const aclgrad::Value& x,
                         aclgrad::DType dtype);

// Classifies a fixed set of examples with whatever the network's weights are now.
class Classifier {
 public:
  Classifier(const aclgrad::Sequential& network, const aclgrad::data::Dataset& examples,
             aclgrad::DType dtype);

  aclgrad::Tensor predict();  // [n], int64
  double accuracy();          // from 0 to 1

 private:
  const aclgrad::data::Dataset& examples_;
  std::int64_t rows_;  // of one run
  aclgrad::Graph graph_;
  aclgrad::Value x_;
  aclgrad::Value scores_;
  aclgrad::Session session_;
};

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_NETWORK_H_
