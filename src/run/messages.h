// Messages to the user: lines on stderr, which reports contain as well.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "src/run/progress.h"
#include "src/run/report.h"

namespace vidconv {

// Prints a line on stderr, with its kind at the end. Drops what cannot be written.
void say(const std::string& line);
void say(MessageKind kind, const std::string& line);

// All members are thread-safe: stages have threads of their own.
class Messages {
 public:
  // With `quiet`, notices are kept but not printed. `about` names one of several inputs: every line
  // on stderr begins with it. It is empty for a single input.
  explicit Messages(bool quiet, const std::string& about = {})
      : quiet_(quiet), about_(about.empty() ? "" : about + ": ") {}

  void notify(MessageKind kind, const std::string& line);
  // Prints even with `quiet`.
  void warn(MessageKind kind, const std::string& line);
  // Prints a summary of what was done; it has no kind and is not kept.
  void summarise(const std::string& line);
  // Returns the messages so far.
  std::vector<Said> said() const;

  // While an object lives, the progress display makes room for messages.
  class Beside {
   public:
    Beside(Messages& messages, ProgressDisplay& display);
    ~Beside();
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

   private:
    Messages& messages_;
  };

 private:
  void show_on(ProgressDisplay* display);

  const bool quiet_;
  const std::string about_;
  mutable std::mutex mutex_;  // guards all below
  std::vector<Said> said_;
  ProgressDisplay* display_ = nullptr;
};

}  // namespace vidconv
