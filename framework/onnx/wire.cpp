// SPDX-License-Identifier: Apache-2.0
// A message is fields one after the other, in protobuf's encoding: a tag, which is the field's
// number and how it is written, and its content. Here the fields on the way to initializers are
// looked at; all others are gathered, and left to protobuf's own parser.
#include "onnx/wire.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <string>

namespace aclgrad::onnx {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

constexpr int kBlock = 1 << 16;

// How a field is written: the lowest three bits of its tag. The other two are groups, which ONNX
// does not have.
enum Wire : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr std::uint32_t tag_of_bytes(int field) {
  return static_cast<std::uint32_t>(field) << 3 | kBytes;
}

// The file as a stream, whose parts that are skipped are not read.
class FileStream final : public google::protobuf::io::CopyingInputStream {
 public:
  explicit FileStream(const aclgrad::detail::InputFile& file) : file_(file) {}

  int Read(void* buffer, int size) override {
    const int count = rest(size);
    file_.read(at_, buffer, static_cast<std::size_t>(count));
    at_ += static_cast<std::uint64_t>(count);
    return count;
  }
  int Skip(int size) override {
    const int count = rest(size);
    at_ += static_cast<std::uint64_t>(count);
    return count;
  }

 private:
  int rest(int size) const {
    return static_cast<int>(std::min<std::uint64_t>(file_.size() - at_, size));
  }

  const aclgrad::detail::InputFile& file_;
  std::uint64_t at_ = 0;
};

class Reader {
 public:
  Reader(CodedInputStream& in, std::vector<Initializer>& initializers)
      : in_(in), initializers_(initializers) {}

  bool read(proto::ModelProto& model) {
    constexpr std::uint32_t kGraph = tag_of_bytes(proto::ModelProto::kGraphFieldNumber);
    return read_fields(model, [&](std::uint32_t tag) {
      return tag == kGraph ? read_inner(*model.mutable_graph()) : Read::not_mine;
    });
  }

  bool read(proto::GraphProto& graph) {
    constexpr std::uint32_t kTensor = tag_of_bytes(proto::GraphProto::kInitializerFieldNumber);
    return read_fields(graph, [&](std::uint32_t tag) {
      if (tag != kTensor) return Read::not_mine;
      return read_inner(initializers_.emplace_back().tensor);
    });
  }

  bool read(proto::TensorProto& tensor) {
    constexpr std::uint32_t kData = tag_of_bytes(proto::TensorProto::kRawDataFieldNumber);
    return read_fields(tensor, [&](std::uint32_t tag) {
      if (tag != kData) return Read::not_mine;
      int size = 0;
      if (!read_size(size)) return Read::failed;
      initializers_.back().raw_data = FileRange{static_cast<std::uint64_t>(in_.CurrentPosition()),
                                                static_cast<std::uint64_t>(size)};
      return in_.Skip(size) ? Read::done : Read::failed;
    });
  }

 private:
  enum class Read { done, failed, not_mine };

  // The fields of a message up to its end; `take` reads those that it wants.
  template <class Message, class Take>
  bool read_fields(Message& message, Take take) {
    std::string others;
    {
      StringOutputStream stream(&others);
      CodedOutputStream out(&stream);
      while (const std::uint32_t tag = in_.ReadTag()) {
        const Read result = take(tag);
        if (result == Read::failed) return false;
        if (result == Read::not_mine && !copy_field(tag, out)) return false;
      }
    }
    // A tag of 0 is the end, or none.
    return in_.ConsumedEntireMessage() && message.MergeFromString(others);
  }

  template <class Message>
  Read read_inner(Message& message) {
    int size = 0;
    if (!read_size(size)) return Read::failed;
    const CodedInputStream::Limit before = in_.PushLimit(size);
    if (!read(message)) return Read::failed;
    in_.PopLimit(before);
    return Read::done;
  }

  // Of a field of bytes; false where they would end behind the message that it is in.
  bool read_size(int& size) {
    return in_.ReadVarintSizeAsInt(&size) && size <= in_.BytesUntilLimit();
  }

  bool copy_field(std::uint32_t tag, CodedOutputStream& out) {
    out.WriteTag(tag);
    switch (tag & 7) {
      case kVarint: {
        std::uint64_t value = 0;
        if (!in_.ReadVarint64(&value)) return false;
        out.WriteVarint64(value);
        return true;
      }
      case kFixed64: {
        std::uint64_t value = 0;
        if (!in_.ReadLittleEndian64(&value)) return false;
        out.WriteLittleEndian64(value);
        return true;
      }
      case kFixed32: {
        std::uint32_t value = 0;
        if (!in_.ReadLittleEndian32(&value)) return false;
        out.WriteLittleEndian32(value);
        return true;
      }
      case kBytes: {
        int size = 0;
        std::string content;
        if (!read_size(size) || !in_.ReadString(&content, size)) return false;
        out.WriteVarint32(static_cast<std::uint32_t>(size));
        out.WriteString(content);
        return true;
      }
      default:
        return false;
    }
  }

  CodedInputStream& in_;
  std::vector<Initializer>& initializers_;
};

}  // namespace

bool read_apart(const aclgrad::detail::InputFile& file, proto::ModelProto& model,
                std::vector<Initializer>& initializers) {
  FileStream content(file);
  google::protobuf::io::CopyingInputStreamAdaptor stream(&content, kBlock);
  CodedInputStream in(&stream);
  in.PushLimit(static_cast<int>(file.size()));
  return Reader(in, initializers).read(model);
}

}  // namespace aclgrad::onnx
