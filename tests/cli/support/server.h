// A web server on loopback that runs beside a test.
#pragma once

#include <string>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {

// Serves a folder by server.py until it goes.
class Server {
 public:
  // Its files lie beside `folder`. `tls`: the certificate and its key, or none.
  explicit Server(const std::string& folder, const Arguments& tls = {});

  // "127.0.0.1:PORT"
  std::string address() const { return address_; }
  // That have arrived, asked for something or not.
  std::size_t connections() const { return split_lines(read_file(log_)).size(); }

 private:
  const std::string log_;
  Process process_;
  std::string address_;
};

}  // namespace vidconv::test
