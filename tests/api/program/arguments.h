/* Tests of invalid arguments, in several files of one program. */
#ifndef VIDCONV_TESTS_ARGUMENTS_H
#define VIDCONV_TESTS_ARGUMENTS_H

#include <limits.h>

#include "check.h"

/* Each returns the number of failed checks. */
int filter_arguments(void);
int plan_arguments(void);
int video_arguments(void);

static inline void tried(const char* function) { printf("%s\n", function); }

/* Checks that a call with a missing argument is refused, with an error and without one. */
#define REFUSED(call)                                                                   \
  do {                                                                                  \
    vidconv_error refused_ = VIDCONV_INIT(vidconv_error);                               \
    vidconv_error* error = &refused_;                                                   \
    CHECK_STATUS(call, VIDCONV_USAGE, refused_);                                        \
    CHECK(refused_.status == VIDCONV_USAGE && refused_.kind[0] && refused_.message[0]); \
    error = NULL;                                                                       \
    CHECK((call) == VIDCONV_USAGE);                                                     \
  } while (0)

static const size_t wrong_sizes[] = {0, 1, sizeof(size_t), 1 << 20, SIZE_MAX};
enum { wrong_size_count = sizeof wrong_sizes / sizeof *wrong_sizes };

/* Checks a function that fills a struct, with struct sizes that are wrong, and one that is larger
 * than known. `call` uses the struct as `out`. */
#define GIVES(type, call)                                                    \
  do {                                                                       \
    union {                                                                  \
      type known;                                                            \
      unsigned char bytes[sizeof(type) + 64];                                \
    } u;                                                                     \
    type* out = NULL;                                                        \
    vidconv_error given_ = VIDCONV_INIT(vidconv_error);                      \
    vidconv_error* error = &given_;                                          \
    size_t i, b;                                                             \
    CHECK((call) == VIDCONV_USAGE);                                          \
    out = &u.known;                                                          \
    for (i = 0; i < wrong_size_count; ++i) {                                 \
      memset(&u, 0xEE, sizeof u);                                            \
      out->size = wrong_sizes[i];                                            \
      CHECK((call) == VIDCONV_USAGE);                                        \
      for (b = sizeof(size_t); b < sizeof u; ++b) CHECK(u.bytes[b] == 0xEE); \
    }                                                                        \
    memset(&u, 0xEE, sizeof u);                                              \
    out->size = sizeof u;                                                    \
    CHECK_OK(call, given_);                                                  \
    CHECK(out->size == sizeof u);                                            \
    for (b = sizeof(type); b < sizeof u; ++b) CHECK(u.bytes[b] == 0);        \
  } while (0)

#endif
