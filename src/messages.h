// What is said to the person: lines on stderr, which a report holds too.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "src/progress.h"
#include "src/report.h"

namespace vidconv {

// A line on stderr, with its kind at the end. What cannot be written is dropped.
void say(const std::string& line);
void say(MessageKind kind, const std::string& line);

// All members may be called from any thread: stages have threads of their own.
class Messages {
 public:
  // `quiet`: notices are kept, but not printed.
  explicit Messages(bool quiet) : quiet_(quiet) {}

  void notify(MessageKind kind, const std::string& line);
  // Printed even for those who want quiet.
  void warn(MessageKind kind, const std::string& line);
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
  mutable std::mutex mutex_;  // of all below
  std::vector<Said> said_;
  ProgressDisplay* display_ = nullptr;
};

}  // namespace vidconv
