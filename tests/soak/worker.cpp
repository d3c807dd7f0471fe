// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/cases/run_case.h"

namespace aclgrad::soak {
namespace {

constexpr size_t kStreams = 4;
constexpr size_t kBytes = 1024;
constexpr int64_t kLargestSize = 24;
// So that kernels share their work with other threads, now and then.
constexpr int64_t kSharedSize = 4000;
constexpr int64_t kMaxElements = 1 << 16;

bool fits(const cases::Row& row, int64_t size) {
  const contract::Arguments call = row.of_size(size);
  return std::ranges::all_of(places_of_tensors(call), [&](size_t place) {
    return contract::count_of(call.parameters()[place].tensor()->shape) <= kMaxElements;
  });
}

void count_up(void* number) { ++*static_cast<int*>(number); }

}  // namespace

void Counts::add(const Counts& other) {
  operators += other.operators;
  shared += other.shared;
  replays += other.replays;
  copies += other.copies;
  callbacks += other.callbacks;
  streams += other.streams;
  refusals += other.refusals;
}

bool Worker::expect(bool holds, const std::string& what) {
  if (!holds && problem_.empty()) problem_ = what;
  return holds;
}

bool Worker::succeeds(aclError status, const char* what) {
  if (status == ACL_SUCCESS) return true;
  const char* message = aclGetRecentErrMsg();
  return expect(false, fmt::format("{} gave {}: {}", what, status, message ? message : ""));
}

void Worker::work(const std::atomic<bool>& stop) {
  if (!succeeds(aclrtSetDevice(0), "aclrtSetDevice")) return;
  streams_.resize(kStreams);
  for (aclrtStream& each : streams_) succeeds(aclrtCreateStream(&each), "aclrtCreateStream");
  while (!stop && problem_.empty()) {
    switch (below(16)) {
      case 0:
        replay();
        break;
      case 1:
        copy();
        break;
      case 2:
        call_back();
        break;
      case 3:
        renew_stream();
        break;
      case 4:
        be_refused();
        break;
      default:
        run_operator();
    }
  }
  for (aclrtStream each : streams_) succeeds(aclrtDestroyStream(each), "aclrtDestroyStream");
  succeeds(aclrtResetDevice(0), "aclrtResetDevice");
}

void Worker::run_operator() {
  const cases::Row& row = *rows_[below(rows_.size())];
  const aclDataType dtype = row.dtypes()[below(row.dtypes().size())];
  const cases::Layouts layouts = {testing::kOutputLayouts[below(testing::kOutputLayouts.size())]};
  const bool is_shared = below(200) == 0 && fits(row, kSharedSize);
  const auto size = is_shared ? kSharedSize : static_cast<int64_t>(2 + 2 * below(kLargestSize / 2));
  const cases::RunResult result =
      cases::run_case(row, dtype, layouts, streams_[below(kStreams)], generator_(), nullptr, size);
  const std::string verdict = cases::difference(row, dtype, result, size);
  expect(verdict.empty(),
         fmt::format("{}, dtype {}, {}, size {}: {}", row.name(), static_cast<int>(dtype),
                     cases::to_string(layouts), size, verdict));
  ++counts_.operators;
  counts_.shared += is_shared;
}

void Worker::replay() {
  const testing::Buffer from(kBytes), between(kBytes), to(kBytes);
  aclrtStream first = streams_[0], second = streams_[1];
  aclrtEvent fork = nullptr, join = nullptr;
  aclmdlRI model = nullptr;
  const auto value = static_cast<unsigned char>(below(256));
  const bool done =
      succeeds(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC), "making an event") &&
      succeeds(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC), "making an event") &&
      succeeds(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), "capturing") &&
      succeeds(aclrtMemcpyAsync(between.data(), kBytes, from.data(), kBytes,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, first),
               "a recorded copy") &&
      succeeds(aclrtRecordEvent(fork, first), "a recorded event") &&
      succeeds(aclrtStreamWaitEvent(second, fork), "a recorded wait") &&
      succeeds(aclrtMemcpyAsync(to.data(), kBytes, between.data(), kBytes,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, second),
               "a recorded copy") &&
      succeeds(aclrtRecordEvent(join, second), "a recorded event") &&
      succeeds(aclrtStreamWaitEvent(first, join), "a recorded wait") &&
      succeeds(aclmdlRICaptureEnd(first, &model), "ending the capture");
  for (int i = 0; done && i < 3; ++i) {
    const auto now = static_cast<unsigned char>(value + i);
    succeeds(aclrtMemsetAsync(from.data(), kBytes, now, kBytes, first), "filling");
    succeeds(aclmdlRIExecuteAsync(model, first), "replaying");
    succeeds(aclrtSynchronizeStream(first), "synchronising");
    const auto* bytes = static_cast<const unsigned char*>(to.data());
    expect(std::all_of(bytes, bytes + kBytes, [&](unsigned char each) { return each == now; }),
           "a replay copied something else");
  }
  if (model != nullptr) succeeds(aclmdlRIDestroy(model), "destroying the model");
  succeeds(aclrtDestroyEvent(fork), "destroying an event");
  succeeds(aclrtDestroyEvent(join), "destroying an event");
  ++counts_.replays;
}

void Worker::copy() {
  std::vector<testing::Buffer> stations;
  for (size_t i = 0; i <= kStreams; ++i) stations.emplace_back(kBytes);
  const auto value = static_cast<unsigned char>(1 + below(255));
  std::vector<aclrtEvent> events(kStreams);
  succeeds(aclrtMemsetAsync(stations[0].data(), kBytes, value, kBytes, streams_[0]), "filling");
  for (size_t i = 0; i < kStreams; ++i) {
    succeeds(aclrtCreateEvent(&events[i]), "making an event");
    succeeds(aclrtMemcpyAsync(stations[i + 1].data(), kBytes, stations[i].data(), kBytes,
                              ACL_MEMCPY_DEVICE_TO_DEVICE, streams_[i]),
             "copying");
    succeeds(aclrtRecordEvent(events[i], streams_[i]), "recording");
    if (i + 1 < kStreams) succeeds(aclrtStreamWaitEvent(streams_[i + 1], events[i]), "waiting");
  }
  succeeds(aclrtSynchronizeEvent(events.back()), "synchronising");
  const auto* bytes = static_cast<const unsigned char*>(stations.back().data());
  expect(std::all_of(bytes, bytes + kBytes, [&](unsigned char each) { return each == value; }),
         "a chain of copies brought something else");
  for (aclrtStream each : streams_) succeeds(aclrtSynchronizeStream(each), "synchronising");
  for (aclrtEvent each : events) succeeds(aclrtDestroyEvent(each), "destroying an event");
  ++counts_.copies;
}

void Worker::call_back() {
  constexpr int kCalls = 5;
  int calls = 0;
  aclrtStream stream = streams_[below(kStreams)];
  for (int i = 0; i < kCalls; ++i) {
    succeeds(aclrtLaunchHostFunc(stream, count_up, &calls), "a host function");
  }
  succeeds(aclrtSynchronizeStream(stream), "synchronising");
  expect(calls == kCalls, "host functions were lost");
  counts_.callbacks += kCalls;
}

void Worker::renew_stream() {
  aclrtStream& stream = streams_[below(kStreams)];
  succeeds(aclrtDestroyStream(stream), "destroying a stream");
  succeeds(aclrtCreateStream(&stream), "making a stream");
  ++counts_.streams;
}

void Worker::be_refused() {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  succeeds(aclrtCreateStream(&stream), "making a stream");
  succeeds(aclrtCreateEvent(&event), "making an event");
  succeeds(aclrtDestroyStream(stream), "destroying a stream");
  succeeds(aclrtDestroyEvent(event), "destroying an event");
  expect(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE, "a dead stream");
  expect(aclrtRecordEvent(event, streams_[0]) != ACL_SUCCESS, "a dead event");
  expect(aclGetRecentErrMsg() != nullptr, "a refusal without a message");
  ++counts_.refusals;
}

}  // namespace aclgrad::soak
