// What is said to the person: lines on stderr, which a report holds too.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "src/run/progress.h"
#include "src/run/report.h"

namespace vidconv {

// A line on stderr, with its kind at the end. What cannot be written is dropped.
void say(const std::string& line);
void say(MessageKind kind, const std::string& line);

// All members may be called from any thread: stages have threads of their own.
class Messages {
 public:
  // `quiet`: notices are kept, but not printed. `about`: which of several inputs they are of, which
  // every line on stderr begins with then; empty: the only one.
  explicit Messages(bool quiet, const std::string& about = {})
      : quiet_(quiet), about_(about.empty() ? "" : about + ": ") {}

  void notify(MessageKind kind, const std::string& line);
  // Printed even for those who want quiet.
  void warn(MessageKind kind, const std::string& line);
  // What was done, which is no message of any kind and not kept.
  void summarise(const std::string& line);
  // So far.
  std::vector<Said> said() const;

  // While it lives, notices make room in the display.
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
  mutable std::mutex mutex_;  // of all below
  std::vector<Said> said_;
  ProgressDisplay* display_ = nullptr;
};

}  // namespace vidconv
