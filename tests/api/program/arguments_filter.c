#include "arguments.h"

static void filters(void) {
  static const char* const nonsense[] = {"",
                                         ":",
                                         "gaussian:",
                                         "gaussian:sigma",
                                         "gaussian:sigma=",
                                         "gaussian:sigma=nan",
                                         "gaussian:sigma=1e999",
                                         "matrix:",
                                         "matrix:;",
                                         "matrix:1;2 3",
                                         "row:",
                                         "file:",
                                         "file:/no/such",
                                         "random:1,99999x99999",
                                         "box:size=-1",
                                         "box:size=999999999999999999999",
                                         "\xff\xfe",
                                         "box\n",
                                         "matrix:1/0",
                                         "sobel:norm=l3",
                                         "box:anchor=1",
                                         "separable:1;",
                                         "box:planes=q"};
  vidconv_filter* filter = NULL;
  char* huge;
  size_t i;
  tried("vidconv_filter_parse");
  REFUSED(vidconv_filter_parse(NULL, &filter, error));
  REFUSED(vidconv_filter_parse("box", NULL, error));
  for (i = 0; i < sizeof nonsense / sizeof *nonsense; ++i) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    filter = (vidconv_filter*)&error; /* not an object: the call must set it to NULL */
    CHECK_STATUS(vidconv_filter_parse(nonsense[i], &filter, &error), VIDCONV_USAGE, error);
    CHECK(filter == NULL && error.column >= 1 && error.column <= (int)strlen(nonsense[i]) + 1);
    CHECK(strcmp(error.kind, "filter-spec") == 0);
  }
  huge = malloc(1 << 20);
  memset(huge, 'x', (1 << 20) - 1);
  huge[(1 << 20) - 1] = 0;
  REFUSED(vidconv_filter_parse(huge, &filter, error));
  free(huge);
  tried("vidconv_filter_text");
  CHECK(vidconv_filter_text(NULL) == NULL);
  tried("vidconv_filter_warning");
  CHECK(vidconv_filter_warning(NULL, 0) == NULL);
  tried("vidconv_filter_file");
  CHECK(vidconv_filter_file(NULL, 0) == NULL);
  filter = parsed("box");
  CHECK(vidconv_filter_file(filter, 0) == NULL && vidconv_filter_file(filter, SIZE_MAX) == NULL);
  CHECK(vidconv_filter_warning(filter, 0) == NULL &&
        vidconv_filter_warning(filter, SIZE_MAX) == NULL);
  tried("vidconv_filter_free");
  vidconv_filter_free(filter);
  vidconv_filter_free(NULL);
}

/* An error with an impossible size is not touched; in a larger one unknown members are set to 0. */
static void errors(void) {
  union {
    vidconv_error known;
    unsigned char bytes[sizeof(vidconv_error) + 64];
  } u;
  vidconv_filter* filter;
  size_t i, b;
  for (i = 0; i < wrong_size_count; ++i) {
    memset(&u, 0xEE, sizeof u);
    u.known.size = wrong_sizes[i];
    CHECK(vidconv_filter_parse("nonsense", &filter, &u.known) == VIDCONV_USAGE);
    for (b = sizeof(size_t); b < sizeof u; ++b) CHECK(u.bytes[b] == 0xEE);
  }
  memset(&u, 0xEE, sizeof u);
  u.known.size = sizeof u;
  CHECK(vidconv_filter_parse("nonsense", &filter, &u.known) == VIDCONV_USAGE);
  CHECK(u.known.size == sizeof u && u.known.status == VIDCONV_USAGE && u.known.column == 1);
  for (b = sizeof(vidconv_error); b < sizeof u; ++b) CHECK(u.bytes[b] == 0);
  /* A call that succeeds does not touch the error. */
  memset(u.known.message, 'm', sizeof u.known.message);
  CHECK(vidconv_filter_parse("box", &filter, &u.known) == VIDCONV_OK);
  CHECK(u.known.message[0] == 'm' && u.known.status == VIDCONV_USAGE);
  vidconv_filter_free(filter);
}

int filter_arguments(void) {
  filters();
  errors();
  return check_failures;
}
