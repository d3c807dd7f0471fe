// SPDX-License-Identifier: Apache-2.0
// What is left of training runs: pictures, weights, graphs and a table.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_RESULTS_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_RESULTS_H_

#include <exception>
#include <string>
#include <vector>

#include "examples/classifier/training.h"

// Trains with each activation, and writes into options.out what each left (while it trains, its
// report) and the curves of all.
// `side` is that of the square pictures. Prints the table to standard output. All ranks call it;
// the first writes and prints.
void train_all(const Widths& widths, const aclgrad::data::Split& examples, std::int64_t side,
               const TrainingOptions& options, const aclgrad::Communicator& communicator = {});

// Throws IoError when standard output could not take all that was printed.
void flush_output();

// Prints the error and returns the exit status: 2 when options or files are at fault, 1 when
// something went wrong on the way.
int exit_status_for(const std::string& program, const std::exception& error);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_RESULTS_H_
