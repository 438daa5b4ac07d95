#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>

#include "kernels/filter/presets.h"
#include "kernels/spec/parse.h"
#include "pipeline/base/message.h"
#include "pipeline/encode/encoder_table.h"
#include "src/help/help.h"
#include "src/help/words.h"
#include "src/options/option_names.h"
#include "src/options/option_table.h"

namespace vidconv {
namespace {

// Escapes text for troff: a dash can be copied, a dot begins no command.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '"')
      result += "\\(dq";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else
      result += c;
  }
  if (result.starts_with('.')) result.insert(0, "\\&");
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + troff(text) + "\\fR"; }

std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }

// Writes a term and its meaning.
std::string entry(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, troff(text));
}

std::string sentence(std::string_view text) {
  if (text.empty()) return "";
  std::string result(1, static_cast<char>(std::toupper(static_cast<unsigned char>(text[0]))));
  return result.append(text.substr(1)) + ".";
}

std::string term_of(const OptionText& option) {
  std::string term;
  for (const std::string& name : option.names) term += (term.empty() ? "" : ", ") + bold(name);
  if (option.value.empty() || !option.names[0].starts_with('-')) return term;
  const std::string value = "\\fI" + troff(option.value) + "\\fR";
  return term + (option.value_may_be_left_out ? "[=" + value + "]" : " " + value);
}

std::string options() {
  std::string text, group;
  for (const OptionText& option : option_table()) {
    if (option.group != group) text += fmt::format(".SS {}\n", group = option.group);
    text += entry(term_of(option), sentence(text_of(option)));
  }
  return text;
}

std::string filters() {
  std::string text = "A filter is named, with parameters as in\n" + bold("gaussian:sigma=2") +
                     ", or drawn as a matrix.\n" + bold("vidconv --list-kernels") +
                     "\nlists the parameters.\n";
  for (const Preset& preset : presets())
    text += entry(bold(preset.name), sentence(preset.description));
  for (const MatrixForm& form : matrix_forms())
    text += entry(fmt::format("{}:\\fI{}\\fR", bold(form.name), troff(form.what_follows)),
                  sentence(form.description));
  const auto add_keys = [&](std::span<const ModifierKey> keys) {
    for (const ModifierKey& key : keys)
      text += entry(fmt::format("{}=\\fI{}\\fR", bold(key.name), troff(key.values)),
                    sentence(key.description));
  };
  text += ".SS Parameters of every filter\n";
  add_keys(modifier_keys());
  text += ".SS Parameters of filters over time\n";
  add_keys(time_keys());
  return text;
}

std::string quality() {
  std::string text =
      "Without\n" + bold("--crf") + " or " + bold("--bitrate") +
      ", an encoder gets the constant quality that its users expect.\n" + bold("--crf") +
      " is on the encoder's own scale; these are the scales, with the default first. The last line "
      "of a\nrun says what was used, " +
      bold("--explain") +
      " what would be.\nEncoders that are not listed have no such scale: lossless ones, and those "
      "whose profile or whose\nchip decides.\n";
  for (const EncoderDefaults& encoder : encoder_table()) {
    if (!encoder.quality.option) continue;
    std::string more;
    for (const auto& [key, value] : encoder.options)
      if (key && std::string_view(key) != "x265-params") more += fmt::format(", {}={}", key, value);
    text += entry(bold(encoder.name), describe(encoder.quality) + more + ".");
  }
  return text;
}

std::string messages() {
  std::string text =
      "Every line on standard error but progress and the summary ends with its kind in brackets. "
      "These are the "
      "kinds,\nwith the exit code of those that end a run; the others are notices, which\n" +
      bold("--quiet") + " keeps back, but that a run was interrupted, and\n" + bold("--stats") +
      " collects.\n";
  for (const MessageRow& kind : message_table()) {
    std::string name = bold(kind.name);
    if (kind.fault != Fault::none)
      name += fmt::format(" (exit code {})", static_cast<int>(kind.fault));
    std::string what = sentence(with_option_names(kind.meaning));
    if (!kind.remedy.empty()) what += fmt::format(" {}", sentence(with_option_names(kind.remedy)));
    text += entry(name, what);
  }
  return text;
}

}  // namespace

std::string manual_page() {
  std::string text = ".\\\" Made by 'vidconv --manual'.\n";
  text += ".TH VIDCONV 1 \"\" \"vidconv " VIDCONV_VERSION "\" \"User Commands\"\n";
  text += section("NAME") + "vidconv \\- filter video with convolution kernels\n";
  text += section("SYNOPSIS") +
          ".B vidconv\n.I INPUT...\n.B \\-o\n.I OUTPUT\n.B \\-\\-kernel\n.I SPEC\n"
          "[\\fB\\-\\-kernel\\fR \\fISPEC\\fR ...] [\\fIoptions\\fR]\n";
  text +=
      section("DESCRIPTION") + troff(purpose) +
      "\nBlur, sharpen, edges or any matrix, on the CPU or on a CUDA GPU, with the same bytes "
      "from both.\nAll other streams, chapters, tags and the times of the frames are kept; what "
      "the output cannot hold is\nnamed in a line. An output has no name until it is "
      "complete and on the disk: a run that\nfails or is killed leaves nothing, and an older file "
      "as it was. Where the file system cannot write without a name,\nbeyond 256 pictures, and in "
      "the moment in which older files are replaced, a killed run leaves files that end "
      "in .part\nor .old, which the next run to the same output removes; of a set of pictures some "
      "are old and some new\nthen, each of them whole.\n";
  text += section("OPTIONS") + options();
  text += section("FILTERS") + filters();
  text += section("QUALITY") + quality();
  text += section("EXIT STATUS");
  for (const ExitCode& code : exit_codes())
    text += entry(bold(std::to_string(code.code)), sentence(code.meaning));
  text += section("MESSAGES") + messages();
  text += section("SEVERAL INPUTS");
  for (const std::string_view words : batches()) text += troff(words) + "\n.PP\n";
  text += section("SEVERAL OUTPUTS");
  for (const std::string_view words : several_outputs()) text += troff(words) + "\n.PP\n";
  text += section("TIMES AND DAMAGE");
  for (const std::string_view words : times()) text += plain(words) + "\n.PP\n";
  text += section("RUNS THAT GO ON");
  for (const std::string_view words : resuming()) text += troff(words) + "\n.PP\n";
  text += section("WHAT IS NOT ENCODED AGAIN");
  for (const std::string_view words : keeping()) text += troff(words) + "\n.PP\n";
  text += section("MANY HOSTS");
  for (const std::string_view words : many_hosts()) text += troff(words) + "\n.PP\n";
  text += section("TRUST");
  for (const std::string_view words : trust()) text += troff(words) + "\n.PP\n";
  text += section("ENVIRONMENT") +
          entry(bold("SSL_CERT_FILE"),
                "The authorities that certificates of servers are checked "
                "against; where it is not set, the system's.") +
          entry(bold("NO_COLOR"), "The bar has no colour where this is set and not empty.") +
          entry(bold("TERM"), "The bar has no colour and moves no cursor where this is dumb.");
  text += section("EXAMPLES");
  for (const Example& example : examples())
    text += entry(bold(example.command), sentence(example.what));
  text += section("SEE ALSO") + ".BR ffmpeg (1),\n.BR ffprobe (1)\n";
  return text;
}

}  // namespace vidconv
