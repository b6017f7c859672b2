// Result<T>: a value, or the reason why there is none. For everything that may fail while setting up (attach, open,
// parse, write). Failures that are normal and frequent, such as a torn read, are enums instead: see cpython/walk.h.
//
// A subset of std::expected, which g++ 12 offers in C++23 mode only.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace flametap {

// What kind of failure it is; the numbers are the command's documented exit codes.
enum class Failure { failed = 1, usage = 2, not_permitted = 3, no_such_process = 4, not_python = 5 };

// What failed and why, and, where there is one, the command or the change that mends it.
struct Error {
  Failure kind = Failure::failed;
  std::string message;
  std::string remedy;
  int error_number = 0;  // the errno of the call that failed; 0: it was another kind of failure

  // Each layer adds one clause: "cannot attach to process 7: " in front of "cannot read its memory: ...".
  [[nodiscard]] Error within(const std::string& clause) const {
    return {kind, clause + ": " + message, remedy, error_number};
  }
};

// An Error made of the errno of the call that just failed: "open /x: No such file or directory".
[[nodiscard]] Error errno_error(const std::string& what, int error_number);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return *get(); }
  [[nodiscard]] const T& value() const& { return *std::as_const(*this).get(); }
  [[nodiscard]] T&& value() && { return std::move(*get()); }
  T& operator*() & { return *get(); }
  const T& operator*() const& { return *get(); }
  T&& operator*() && { return std::move(*get()); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }

  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  T* get() {
    assert(ok());
    return std::get_if<0>(&state_);
  }
  const T* get() const {
    assert(ok());
    return std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace flametap
