// SPDX-License-Identifier: Apache-2.0
#include "io/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace aclgrad::detail {
namespace {

constexpr int kWithoutHeader = -MAX_WBITS;

// As many bytes as zlib takes at once.
template <class Byte>
uInt take(Byte*& at, std::uint64_t& left, Bytef*& next) {
  const auto some =
      static_cast<uInt>(std::min<std::uint64_t>(left, std::numeric_limits<uInt>::max()));
  next = reinterpret_cast<Bytef*>(const_cast<char*>(at));
  at += some;
  left -= some;
  return some;
}

}  // namespace

std::uint32_t checksum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

bool inflate_all(std::string_view packed, std::string& content) {
  z_stream stream = {};
  if (inflateInit2(&stream, kWithoutHeader) != Z_OK) throw std::bad_alloc();
  const char* from = packed.data();
  char* to = content.data();
  std::uint64_t packed_left = packed.size(), left = content.size();
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) stream.avail_in = take(from, packed_left, stream.next_in);
    if (stream.avail_out == 0) stream.avail_out = take(to, left, stream.next_out);
    status = inflate(&stream, Z_NO_FLUSH);
  }
  const bool whole =
      status == Z_STREAM_END && packed_left + stream.avail_in == 0 && left + stream.avail_out == 0;
  inflateEnd(&stream);
  return whole;
}

std::string deflated_bytes(std::string_view content) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWithoutHeader, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  const char* from = content.data();
  char* to = packed.data();
  std::uint64_t content_left = content.size(), left = packed.size();
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) stream.avail_in = take(from, content_left, stream.next_in);
    if (stream.avail_out == 0) stream.avail_out = take(to, left, stream.next_out);
    status = deflate(&stream, content_left == 0 ? Z_FINISH : Z_NO_FLUSH);
  }
  packed.resize(packed.size() - left - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace aclgrad::detail
