// SPDX-License-Identifier: Apache-2.0
#include "examples/spoken/recordings.h"

#include <aclgrad/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <set>

using namespace aclgrad;

namespace spoken {
namespace {

constexpr std::int64_t kPiece = 256, kHop = 128, kFrequencies = kPiece / 2;

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);  // little endian, as this machine
  return value;
}

// From the first to the last sample that is louder than a fiftieth of the loudest.
std::vector<float> without_silence(const std::vector<float>& samples) {
  float loudest = 0;
  for (const float sample : samples) loudest = std::max(loudest, std::abs(sample));
  const auto heard = [&](float sample) { return std::abs(sample) >= loudest / 50; };
  const auto begin = std::ranges::find_if(samples, heard);
  const auto end = std::find_if(samples.rbegin(), samples.rend(), heard).base();
  return begin < end ? std::vector<float>(begin, end) : samples;
}

// `sound` from sample `start` on, which may be before the first one.
std::vector<float> placed(const std::vector<float>& sound, std::int64_t start) {
  std::vector<float> samples(kSamples);
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const std::int64_t at = i - start;
    if (at >= 0 && at < std::ssize(sound)) samples[i] = sound[at];
  }
  return samples;
}

// [2 kFrequencies, 1, kPiece]: cosines of all frequencies but 0, then sines, under a Hann window.
Tensor waves() {
  Tensor made = Tensor::zeros({2 * kFrequencies, 1, kPiece});
  for (std::int64_t row = 0; row < 2 * kFrequencies; ++row) {
    const auto frequency = static_cast<double>(row % kFrequencies + 1);
    for (std::int64_t i = 0; i < kPiece; ++i) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(i) / kPiece;
      const double wave =
          row < kFrequencies ? std::cos(frequency * turn) : std::sin(frequency * turn);
      made.set(row * kPiece + i, wave * (1 - std::cos(turn)) / 2);
    }
  }
  return made;
}

double mel(double hertz) { return 1127 * std::log(1 + hertz / 700); }

// [kBands, kFrequencies, 1]: triangles that overlap by half.
Tensor bands() {
  Tensor made = Tensor::zeros({kBands, kFrequencies, 1});
  const double width = mel(kRate / 2.0) / (kBands + 1);
  for (std::int64_t band = 0; band < kBands; ++band) {
    for (std::int64_t i = 0; i < kFrequencies; ++i) {
      const double place = mel(static_cast<double>((i + 1) * kRate) / kPiece) / width;
      const double height = 1 - std::abs(place - static_cast<double>(band + 1));
      made.set(band * kFrequencies + i, std::max(height, 0.0));
    }
  }
  return made;
}

}  // namespace

std::vector<float> read_wav(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const auto fail = [&](const std::string& what) {
    throw IoError(fmt::format("{}: {}", path.string(), what));
  };
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE") {
    fail("not a WAV file");
  }
  constexpr std::size_t kHeader = 8, kFormat = 16;
  bool known = false;
  for (std::size_t at = 12; at + kHeader <= bytes.size();) {
    const std::string name = bytes.substr(at, 4);
    const std::size_t size = number_at<std::uint32_t>(bytes, at + 4);
    at += kHeader;
    if (size > bytes.size() - at) fail("it is cut off");
    if (name == "fmt " && size >= kFormat) {
      known = number_at<std::uint16_t>(bytes, at) == 1 &&
              number_at<std::uint16_t>(bytes, at + 2) == 1 &&
              number_at<std::uint32_t>(bytes, at + 4) == kRate &&
              number_at<std::uint16_t>(bytes, at + 14) == 16;
    } else if (name == "data") {
      if (!known) fail("expected 16 bits, one channel, 8,000 samples a second");
      std::vector<float> samples;
      for (std::size_t i = 0; i + 1 < size; i += 2) {
        samples.push_back(static_cast<float>(number_at<std::int16_t>(bytes, at + i)) / 32768.0F);
      }
      return samples;
    }
    at += size + size % 2;
  }
  fail("it has no samples");
  return {};
}

std::vector<Recording> read_recordings(const std::filesystem::path& folder) {
  std::set<std::string> voices;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_directory()) voices.insert(entry.path().filename().string());
    }
  }
  if (voices.empty()) {
    throw IoError(fmt::format(
        "{}: there is no folder of a voice in it; `./dev spoken` fetches some", folder.string()));
  }
  std::vector<Recording> all;
  for (const std::string& voice : voices) {
    for (std::int64_t digit = 0; digit < 10; ++digit) {
      const std::vector<float> samples = read_wav(folder / voice / fmt::format("{}.wav", digit));
      all.push_back({.voice = voice, .digit = digit, .samples = without_silence(samples)});
    }
  }
  return all;
}

std::vector<float> as_it_is(const Recording& recording) {
  return placed(recording.samples, (kSamples - std::ssize(recording.samples)) / 2);
}

std::vector<float> distorted(const Recording& recording, const Random& random) {
  enum Draw : std::uint64_t { kSpeed, kStart, kTreble, kNoise, kFirstOfNoise };
  const double speed = 0.8 * std::pow(1.25 / 0.8, random.uniform(kSpeed));
  const std::vector<float>& original = recording.samples;
  std::vector<float> sound;
  for (double at = 0; at + 1 < static_cast<double>(original.size()); at += speed) {
    const auto i = static_cast<std::size_t>(at);
    const auto share = static_cast<float>(at - static_cast<double>(i));
    sound.push_back(original[i] * (1 - share) + original[i + 1] * share);
  }
  const auto treble = static_cast<float>(random.uniform(kTreble) - 0.4);
  for (std::size_t i = sound.size(); i-- > 1;) sound[i] -= treble * sound[i - 1];

  const std::int64_t room = kSamples - std::ssize(sound);
  const auto shift = static_cast<std::int64_t>((random.uniform(kStart) - 0.5) * kSamples / 3);
  std::vector<float> samples = placed(sound, room / 2 + shift);
  double power = 0;
  for (const float sample : sound) power += double{sample} * sample;
  power /= static_cast<double>(sound.size());
  const double decibels = -6 - 34 * random.uniform(kNoise);
  const double loudness = std::sqrt(power) * std::pow(10, decibels / 20);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] += static_cast<float>(loudness * random.normal(kFirstOfNoise + i));
  }
  return samples;
}

Value spectrogram(const Value& sounds) {
  Graph graph = sounds.graph();
  const Shape& shape = sounds.shape();
  const Value heard = conv1d(reshape(sounds, {shape[0], 1, shape[1]}), graph.constant(waves()), {},
                             {.stride = kHop});
  const std::vector<Value> parts = split(heard * heard, kFrequencies, 1);
  const Value power = conv1d(parts[0] + parts[1], graph.constant(bands()));
  const Value loudness = log(power + 1e-3);  // [N, kBands, T]
  const Value centred = loudness - mean(loudness, {1, 2}, /*keepdim=*/true);
  return reshape(centred, {shape[0], 1, kBands, centred.shape()[2]});
}

}  // namespace spoken
