// SPDX-License-Identifier: Apache-2.0
// The exceptions of the C++ side. Everything thrown on purpose derives from Error, so a program
// can catch the whole library with one handler and still tell the kinds apart.
#pragma once

#include <stdexcept>
#include <string>

namespace aclgrad {

/// Base of all errors of the framework; what() is a full sentence for a person.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what) : std::runtime_error(what) {}
};

/// Shapes, axes or element counts that do not fit; what() names the shapes.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// An element type that is not the one required; what() names both types.
class DTypeError : public Error {
 public:
  using Error::Error;
};

/// An argument outside its documented range.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read or written, or whose content is damaged; what() begins with its path.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A call across the C interface that did not return success. status() is the code of the C
/// function (aclError or aclnnStatus); what() carries the text of aclGetRecentErrMsg.
class StatusError : public Error {
 public:
  StatusError(const std::string& what, int status) : Error(what), status_(status) {}
  int status() const noexcept { return status_; }

 private:
  int status_;
};

}  // namespace aclgrad
