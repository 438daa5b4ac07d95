#include "tests/cli/support/server.h"

#include <thread>

namespace vidconv::test {
namespace {

Arguments line(const std::string& folder, const Arguments& tls) {
  Arguments argv{VIDCONV_PYTHON, std::string(VIDCONV_SOURCE_DIR) + "/tests/cli/support/server.py",
                 folder, folder + ".port", folder + ".log"};
  argv.insert(argv.end(), tls.begin(), tls.end());
  return argv;
}

}  // namespace

Server::Server(const std::string& folder, const Arguments& tls)
    : log_(folder + ".log"), process_(line(folder, tls)) {
  for (int i = 0; i < 600 && !std::filesystem::exists(folder + ".port"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  address_ = "127.0.0.1:" + read_file(folder + ".port");
}

}  // namespace vidconv::test
