// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_PICTURES_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_PICTURES_H_

#include <string>
#include <vector>

#include "examples/classifier/training.h"

// Each returns an SVG document.

// A line per run: "loss" over the epochs, or "accuracy" on the test digits in percent.
std::string loss_curves(const std::vector<TrainingRun>& runs);
std::string accuracy_curves(const std::vector<TrainingRun>& runs);

// Which test digits were taken for which.
std::string confusion_picture(const TrainingRun& run, const aclgrad::data::Dataset& test);

// The misclassified test digits, at most 60 of them, with the true and the predicted label.
std::string mistakes_picture(const TrainingRun& run, const aclgrad::data::Dataset& test,
                             std::int64_t side);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_PICTURES_H_
