#include "src/run/messages.h"

#include <fmt/format.h>

#include "pipeline/base/url.h"
#include "src/options/option_names.h"
#include "src/process/standard_streams.h"

namespace vidconv {

void say(const std::string& line) { print_error_line("vidconv: " + redacted(line)); }
void say(MessageKind kind, const std::string& line) {
  say(fmt::format("{} [{}]", with_option_names(line), kind_of(kind).name));
}

void Messages::notify(MessageKind kind, const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (display_) display_->make_room();
  if (!quiet_) say(kind, verbatim(about_) + line);
  said_.push_back({kind, redacted(with_option_names(line))});
}

void Messages::warn(MessageKind kind, const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (display_) display_->make_room();
  say(kind, verbatim(about_) + line);
  said_.push_back({kind, redacted(with_option_names(line))});
}

void Messages::summarise(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (display_) display_->make_room();
  if (!quiet_) say(about_ + line);
}

std::vector<Said> Messages::said() const {
  const std::lock_guard lock(mutex_);
  return said_;
}

void Messages::show_on(ProgressDisplay* display) {
  const std::lock_guard lock(mutex_);
  display_ = display;
}

Messages::Beside::Beside(Messages& messages, ProgressDisplay& display) : messages_(messages) {
  messages_.show_on(&display);
}
Messages::Beside::~Beside() { messages_.show_on(nullptr); }

}  // namespace vidconv
