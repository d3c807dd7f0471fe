// SPDX-License-Identifier: Apache-2.0
// Recordings of words: reading them, saying them in other ways, and what is heard at which pitch.
#pragma once

#include <aclgrad/aclgrad.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace spoken {

constexpr std::int64_t kRate = 8000;     // samples a second
constexpr std::int64_t kSamples = 9600;  // of an example, 1.2 s
constexpr std::int64_t kBands = 32;

struct Recording {
  std::string voice;
  std::int64_t digit = 0;
  std::vector<float> samples;  // in [-1, 1], without the silence at both ends
};

// The samples of a WAV file, in [-1, 1]. Throws IoError for any other than 16 bits, one channel,
// 8,000 samples a second.
std::vector<float> read_wav(const std::filesystem::path& path);

// folder/VOICE/DIGIT.wav, of all voices in the order of their names. Throws IoError for a folder
// without such, and for a voice that lacks a digit.
std::vector<Recording> read_recordings(const std::filesystem::path& folder);

// The recording in the middle of kSamples samples. What is longer loses both ends.
std::vector<float> as_it_is(const Recording& recording);

// As another voice on another telephone might say it: 0.8 to 1.25 times as fast and as high,
// somewhere in the middle third, with more or less treble, noise 6 to 40 dB below it.
std::vector<float> distorted(const Recording& recording, const aclgrad::Random& random);

// How loud [N, 1, kBands, T] pieces of 32 ms of sounds [N, samples] are, every 16 ms: logarithms of
// the power in bands of equal width on the mel scale up to 4 kHz, with mean 0 over each sound.
// These are operators: a discrete Fourier transform is a convolution with sines and cosines.
aclgrad::Value spectrogram(const aclgrad::Value& sounds);

}  // namespace spoken
