// SPDX-License-Identifier: Apache-2.0
// The promises of docs/guide/training.md on random problems of fixed seeds; ./dev test-training
// asks them of others, for as long as its options say.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

// Before the runtime counts its devices.
[[maybe_unused]] const int kDevicesAreSet = setenv("ACLGRAD_DEVICE_COUNT", "2", /*replace=*/1);

void holds(const std::string& name, int count = 16) {
  std::map<std::string, int> refused;
  for (const Finding& finding : search(property_named(name), 1, count, refused)) {
    ADD_FAILURE() << finding.to_string();
  }
  int left = count;
  for (const auto& [reason, times] : refused) left -= times;
  EXPECT_GT(left, count / 2) << "most problems were refused";
}

TEST(Promise, MicroBatchesChangeNothing) { holds("micro-batches"); }
TEST(Promise, PiecesAreSeenInOrder) { holds("order-of-pieces"); }
TEST(Promise, EvaluationInPiecesIsEvaluation) { holds("evaluation"); }
TEST(Promise, TwoRanksDoWhatOneDoes) { holds("ranks"); }
TEST(Promise, ThreadsChangeNoBits) { holds("threads"); }
TEST(Promise, SessionsChangeNoBits) { holds("sessions"); }
TEST(Promise, RecomputationChangesNoBits) { holds("recomputation"); }

TEST(Promise, NanReachesTheLoss) { holds("nan"); }
TEST(Promise, NanIsNoBest) { holds("nan-is-no-best"); }
TEST(Promise, DivergenceBringsTheBestBack) { holds("divergence"); }

TEST(Promise, UnusedPartsAreLeftAlone) { holds("unused"); }
TEST(Promise, PartsOfExamplesTrainAsFeaturesAndLabels) { holds("parts"); }
TEST(Promise, EmptyBatchesTeachNothing) { holds("empty"); }
TEST(Promise, FitGoesOn) { holds("fit-again"); }

TEST(Promise, Float32IsNearFloat64) { holds("float32"); }
TEST(Promise, BFloat16IsNearFloat64) { holds("bfloat16"); }
TEST(Promise, Float16IsNearFloat64) { holds("float16"); }
TEST(Promise, BFloat16ParametersAreNearFloat64) { holds("bfloat16-parameters"); }
TEST(Promise, Float16ParametersAreNearFloat64) { holds("float16-parameters"); }
TEST(Promise, StateOf16BitParametersIsFloat32) { holds("state-of-16-bits"); }

TEST(Promise, WhatIsFrozenStays) { holds("frozen-stays", 32); }
TEST(Promise, TheRestIsTrained) { holds("rest-is-trained"); }
TEST(Promise, UnfreezingLeavesNoTrace) { holds("unfreeze"); }
TEST(Promise, AStepFrozenIsAStepFrozen) { holds("freeze-for-a-step"); }

TEST(Promise, ResumeAtAnyStep) { holds("resume"); }
TEST(Promise, ResumeWithPlateauAverageSamplerAndWorkers) { holds("resume-with-options"); }
TEST(Promise, AnExceptionInAnyEventLeavesThePlace) { holds("failures"); }
TEST(Promise, NamesOfOursCollideWithNoneOfTheUsers) { holds("names"); }
TEST(Promise, SavedIsLoaded) { holds("saving"); }
TEST(Promise, NamesDecideNothingElse) { holds("renaming"); }
TEST(Promise, SeedsDecide) { holds("seeds"); }

}  // namespace
}  // namespace aclgrad::training
