// What went wrong, for people, on standard error:
//
//   flametap: cannot record process 7: it runs as another user (web), and we are alice
//     try: run it as root: sudo flametap ...
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "cli/text_fit.h"

namespace flametap::cli {

// The message breaks between words where it is longer than a line of the terminal; the remedy, which is to be copied,
// does not.
[[nodiscard]] std::string describe(const Error& error, Columns columns = {});

// Prints it; gives the exit code that it means.
int fail(const Error& error);

// For a command that ends with its output: gives its exit code, and prints why nothing could be written. That nobody
// reads a pipe any more, as in `flametap report FILE | head`, is no failure: it has been read as far as it was wanted.
int end_with(const Result<std::string>& written);
// Whether a write failed because nobody reads the pipe any more.
[[nodiscard]] bool is_closed_pipe(const Error& error);

// Prints what the user should know of a result that is there all the same: `flametap: warning: ...`.
void warn(const std::string& text);

// "cannot record process 7: ..."; names the process once, also where the error does so already.
[[nodiscard]] Error cannot(const std::string& what, pid_t pid, const Error& error);

}  // namespace flametap::cli
