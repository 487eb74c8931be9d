// SPDX-License-Identifier: Apache-2.0
//
// Result<T> is how a function reports bad input or trouble of the environment: a value, or an Error
// that says where, what, and what to do. No exception crosses a folder boundary. Our own bugs are
// no Error (contracts/invariant.h). Depends on nothing else of ours.
#ifndef ASSAY_CONTRACTS_RESULT_H_
#define ASSAY_CONTRACTS_RESULT_H_

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "contracts/invariant.h"

namespace assay {

struct Error {
  std::string where;   // File, line and column, option or field; empty if there is no place.
  std::string what;    // What is wrong, as a clause without a full stop.
  std::string remedy;  // What the reader can do; empty if nothing.

  // "where: what (remedy)", leaving out what is empty.
  std::string Text() const;

  friend bool operator==(const Error&, const Error&) = default;
};

// Either a T or an Error. Converts implicitly from both, so that `return value;` and
// `return Error{...};` both work. Asking for the side that is not there is our own bug and ends
// the process. As movable and as thread-safe as T. T is an object type other than Error.
template <class T>
class [[nodiscard]] Result {
  static_assert(std::is_object_v<T> && !std::is_same_v<std::remove_cv_t<T>, Error>,
                "Result<T> needs an object type that is not Error");

 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }

  T& value() & {
    CheckHasValue();
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    CheckHasValue();
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CheckHasValue();
    return std::move(*std::get_if<0>(&state_));
  }

  // By value from a temporary: a reference into it would not outlive the expression.
  const Error& error() const& {
    ASSAY_CHECK(!ok(), "error() of a Result that holds a value");
    return *std::get_if<1>(&state_);
  }
  Error error() && {
    ASSAY_CHECK(!ok(), "error() of a Result that holds a value");
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  void CheckHasValue() const { ASSAY_CHECK(ok(), "value() of a Result that holds an Error"); }

  std::variant<T, Error> state_;
};

// The outcome of something that has no value to give back: `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_.has_value(); }

  const Error& error() const& {
    ASSAY_CHECK(!ok(), "error() of a Status that is ok");
    return *error_;
  }
  Error error() && {
    ASSAY_CHECK(!ok(), "error() of a Status that is ok");
    return *std::move(error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace assay

#endif  // ASSAY_CONTRACTS_RESULT_H_
