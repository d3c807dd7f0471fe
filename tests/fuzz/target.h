// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: each target is one function over arbitrary bytes. clang's libFuzzer drives it in
// ./dev fuzz; fuzz_replay, built by any compiler, runs the corpora and random bytes through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aclgrad::fuzz {

struct Target {
  const char* name;
  void (*run)(const uint8_t* data, size_t size);
};

void fuzz_tensor(const uint8_t* data, size_t size);     // creation, getters, re-initialisation
void fuzz_operators(const uint8_t* data, size_t size);  // both phases of every operator
void fuzz_runtime(const uint8_t* data, size_t size);    // call sequences
void fuzz_hccl(const uint8_t* data, size_t size);       // collectives of one rank and of two
void fuzz_config(const uint8_t* data, size_t size);     // the file given to aclInit
void fuzz_safetensors(const uint8_t* data, size_t size);
void fuzz_checkpoint(const uint8_t* data, size_t size);
void fuzz_csv(const uint8_t* data, size_t size);
void fuzz_idx(const uint8_t* data, size_t size);
void fuzz_npy(const uint8_t* data, size_t size);
void fuzz_npz(const uint8_t* data, size_t size);
void fuzz_pth(const uint8_t* data, size_t size);     // an archive of torch.save()
void fuzz_pickle(const uint8_t* data, size_t size);  // the pickle in one
void fuzz_png(const uint8_t* data, size_t size);     // a PNG file
void fuzz_pixels(const uint8_t* data, size_t size);  // header, palette and pixels in one
void fuzz_table(const uint8_t* data, size_t size);
void fuzz_run_page(const uint8_t* data, size_t size);  // what a report of a run is read from
#ifdef ACLGRAD_FUZZ_RECORD
void fuzz_record(const uint8_t* data, size_t size);  // a record of calls, replayed
#endif
#ifdef ACLGRAD_FUZZ_ONNX
void fuzz_onnx(const uint8_t* data, size_t size);  // a network, read and recorded
#endif

inline const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"tensor", fuzz_tensor},
                                          {"operators", fuzz_operators},
                                          {"runtime", fuzz_runtime},
                                          {"hccl", fuzz_hccl},
                                          {"config", fuzz_config},
                                          {"safetensors", fuzz_safetensors},
                                          {"checkpoint", fuzz_checkpoint},
                                          {"csv", fuzz_csv},
                                          {"idx", fuzz_idx},
                                          {"npy", fuzz_npy},
                                          {"npz", fuzz_npz},
                                          {"pth", fuzz_pth},
                                          {"pickle", fuzz_pickle},
                                          {"png", fuzz_png},
                                          {"pixels", fuzz_pixels},
                                          {"table", fuzz_table},
#ifdef ACLGRAD_FUZZ_RECORD
                                          {"record", fuzz_record},
#endif
#ifdef ACLGRAD_FUZZ_ONNX
                                          {"onnx", fuzz_onnx},
#endif
                                          {"run_page", fuzz_run_page}};
  return all;
}

// Says what was expected and aborts, which is what a fuzzer notices.
void require(bool holds, const char* what);

// A failed call has left a message; that message is cleared. `status` 0 passes.
void require_message(int status, const char* call);

}  // namespace aclgrad::fuzz
