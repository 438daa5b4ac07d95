// Computes SHA-256 in hexadecimal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct AVSHA;

namespace vidconv {

class Digest {
 public:
  Digest();
  void add(std::string_view bytes);
  // Returns the digest. Call it once.
  std::string take();

 private:
  struct Free {
    void operator()(AVSHA* p) const;
  };
  std::unique_ptr<AVSHA, Free> state_;
};

std::string digest_of(std::string_view bytes);
// Returns the digest of the whole file that is open for reading. Throws Error(input): `name` is for
// messages.
std::string digest_of_file(int fd, const std::string& name);

}  // namespace vidconv
