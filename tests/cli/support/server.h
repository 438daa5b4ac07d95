// A web server on the loopback interface that runs beside a test.
#pragma once

#include <string>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {

// Serves a folder with server.py as long as the object lives.
class Server {
 public:
  // The server's own files lie beside `folder`. `tls` is the certificate and its key, or empty.
  explicit Server(const std::string& folder, const Arguments& tls = {});

  // Returns "127.0.0.1:PORT".
  std::string address() const { return address_; }
  // Returns the number of connections so far, with or without a request.
  std::size_t connections() const { return split_lines(read_file(log_)).size(); }

 private:
  const std::string log_;
  Process process_;
  std::string address_;
};

}  // namespace vidconv::test
