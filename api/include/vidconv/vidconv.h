/* vidconv for other programs, in C99: filters pictures in memory and videos in files, on the CPU
 * and on CUDA devices, with the bytes that the command makes. Link libvidconv (pkg-config: vidconv;
 * CMake: vidconv::vidconv). Recipes: docs/c-api.md.
 *
 * These rules hold for every function that does not say otherwise:
 *
 * Threads. Functions may be called from any thread. Different objects are independent of each
 * other; one object may be used by one thread at a time.
 *
 * Ownership. Objects returned by functions ending in _new, _parse, _open and _next belong to the
 * caller, who frees them by the function ending in _free, which also takes NULL. Texts and structs
 * that are passed in are copied: the caller may free them when the function has returned. Returned
 * texts are UTF-8, end with 0 and live as long as the object that they were asked of.
 *
 * Errors. A function that can fail returns a vidconv_status and has a last argument `error`, which
 * may be NULL. If the status is not VIDCONV_OK, nothing is returned (`*object` is NULL) unless the
 * function says so. NULL for a required argument, sizes and numbers out of range and the like give
 * VIDCONV_USAGE.
 *
 * Blocking. "Quick" functions do not block; the others say what they wait for.
 *
 * The process. No exception leaves the library; it prints nothing; it sets no signal handler, no
 * handler of libav*'s log and no environment. The log of libav* goes where the program sends it, by
 * default to stderr: see vidconv_hear_libav(). SIGPIPE is up to the caller if an output is a pipe.
 * Objects do not survive fork().
 *
 * Structs begin with `size`, which the caller sets to the sizeof of the struct in this header, so
 * that they can grow: members are only ever added at the end, and 0 is always a member's default. A
 * struct with more members than the library knows is accepted if those are 0; in a struct that the
 * library fills they are set to 0.
 *
 *   vidconv_error error = VIDCONV_INIT(vidconv_error);
 */
#ifndef VIDCONV_VIDCONV_H
#define VIDCONV_VIDCONV_H

#include <stddef.h>
#include <stdint.h>
#include <vidconv/version.h>

/* Marks the functions that the library exports. */
#define VIDCONV_API __attribute__((visibility("default")))

/* Initializes a struct with its size, and all other members with 0. */
#ifdef __cplusplus
#define VIDCONV_INIT(type)      \
  [] {                          \
    type value_ = {};           \
    value_.size = sizeof(type); \
    return value_;              \
  }()
extern "C" {
#else
#define VIDCONV_INIT(type) \
  { .size = sizeof(type) }
#endif

/* ---- The library ---- */

/* Returns the version of the loaded library; VIDCONV_VERSION is this header's: 1.2.3 is 10203.
 * Before 1.0 a program needs the minor version that it was compiled with. Quick. */
VIDCONV_API int vidconv_version(void);
/* Returns the version as text, "0.1.0". Quick. */
VIDCONV_API const char* vidconv_version_text(void);
/* Returns the version of the numeric promise, from 1: two libraries with the same version give the
 * same bytes for the same filters (docs/numerics.md). Quick. */
VIDCONV_API int vidconv_numerics(void);

/* Returns the name of a pixel format that is filtered as it is, FFmpeg's; `index` counts from 0;
 * NULL after the last one. The text lives as long as the program. Thread-safe. */
VIDCONV_API const char* vidconv_format_name(size_t index);

/* Sets the handler of libav*'s log, of which a process has only one: messages of libav* no longer
 * go to stderr but explain errors, and count as damage of an input if nothing else reports it.
 * Without this handler libav* logs as the program has told it to, and some damage that the command
 * would report goes unseen. Call it before the first job is opened; once is enough. Quick. */
VIDCONV_API void vidconv_hear_libav(void);

/* Returns the number of CUDA devices that "cuda:N" can name; 0 also if the library was built
 * without CUDA. Waits for the driver. */
VIDCONV_API int vidconv_cuda_devices(void);

/* ---- Errors ---- */

/* A status is the exit code that the command would have. */
typedef int vidconv_status;
enum {
  VIDCONV_OK = 0,           /* done */
  VIDCONV_INTERNAL = 1,     /* vidconv itself is at fault */
  VIDCONV_USAGE = 2,        /* the request makes no sense */
  VIDCONV_INPUT = 3,        /* the input cannot be read */
  VIDCONV_OUTPUT = 4,       /* the output cannot be written */
  VIDCONV_DEVICE = 5,       /* a device is missing, fails or has no memory left; so has the host */
  VIDCONV_VERIFICATION = 6, /* two ways to compute a frame disagree */
  VIDCONV_DAMAGED = 7,      /* done, but frames of the input are missing or wrong */
  VIDCONV_AGAIN = 75,       /* a later attempt may succeed */
  VIDCONV_CANCELLED = 130   /* ended early because the caller wanted it */
};

/* Describes a failure. A function writes it only if it does not return VIDCONV_OK. A text that is
 * too long is cut between two characters. */
typedef struct vidconv_error {
  size_t size;           /* set by the caller; if it makes no sense, the struct is not touched */
  vidconv_status status; /* the function's return value */
  /* Column in the filter's specification, in bytes from 1; 0 if the fault lies elsewhere. */
  int32_t column;
  /* The frame that was being processed, from 0; -1 if there was none. */
  int64_t frame;
  /* The kind of failure, as in the table of the command's manual: "filter-spec", ... */
  char kind[32];
  /* One line for people: what failed, with which value, and why. Settings have the names that
   * vidconv_job_set() takes. */
  char message[1024];
  char remedy[256]; /* advice to the user; may be empty */
} vidconv_error;

/* ---- Filters ---- */

/* A checked specification. It is immutable: any number of threads may use one at once. */
typedef struct vidconv_filter vidconv_filter;

/* Parses `spec`, as `vidconv --kernel` takes it: "gaussian:sigma=2", "matrix:0 -1 0;-1 5 -1;0 -1
 * 0". Waits for the file of a "file:" specification, and for nothing else. Fails with
 * VIDCONV_USAGE: error->column says where. */
VIDCONV_API vidconv_status vidconv_filter_parse(const char* spec, vidconv_filter** filter,
                                                vidconv_error* error);
/* Frees a filter. Plans and jobs that were made with it stay valid. Quick. */
VIDCONV_API void vidconv_filter_free(vidconv_filter* filter);

/* Returns the specification as it was given; NULL for NULL. Quick. */
VIDCONV_API const char* vidconv_filter_text(const vidconv_filter* filter);
/* Returns the name of a file that the specification was made of: that of a matrix, a mask, a map or
 * values over time. A filter keeps what the file held when it was parsed. `index` counts from 0;
 * NULL after the last one, and for NULL. Quick. */
VIDCONV_API const char* vidconv_filter_file(const vidconv_filter* filter, size_t index);
/* Returns a warning about a specification that is probably a mistake, in one line with a remedy.
 * `index` counts from 0; NULL after the last one, and for NULL. Quick. */
VIDCONV_API const char* vidconv_filter_warning(const vidconv_filter* filter, size_t index);

/* ---- Pictures in memory ---- */

/* Filters for pictures of one format and size, ready to run: taps are computed and memory is
 * allocated. */
typedef struct vidconv_plan vidconv_plan;

/* Options of a plan. */
typedef struct vidconv_plan_options {
  size_t size;
  /* The picture's format, one of:
   * - a pixel format by FFmpeg's name, as `vidconv --list-formats` lists them: "gray", "rgb24",
   * "rgba", "nv12", "yuv420p10le", "gbrpf32le". Filters treat its planes as the command does: edges
   * grey, colours of blurs weighted by alpha (a filter with alpha=separate: alpha copied).
   * - bare samples, all of which are filtered: "u8", "u9" to "u16" (the low bits of two bytes),
   * "f32" (floats, black 0 and white 1), "f16" (half floats). A suffix "x3" gives the samples of
   * each pixel, side by side in one plane (rows, columns, channels); "p3" the number of planes
   * (channels, rows, columns); 1 to 4096: "u8x4", "f32p3".
   * - YUV of floats, as planes: "yuv420pf32", "yuv444pf32", and others that FFmpeg has with 8 bits.
   * Luma is 0 to 1, chroma -0.5 to 0.5.
   * - half floats (IEEE 754 binary16): any of these of floats, with f16 in the place of f32:
   * "gbrpf16le", "f16x3". They become floats, and the result is rounded to the nearest half.
   * Samples are in this machine's byte order. */
  const char* format;
  int32_t width, height; /* pixels, at least 1; together at most 2^28 */
  /* "reflect101" (for NULL), "reflect", "replicate", "wrap", "zero" or "constant:V". */
  const char* border;
  /* The planes for filters that name none: "all", "luma", "chroma" or a list ("y,u"); NULL: each
   * filter's default. */
  const char* planes;
  /* "cpu" (for NULL) or "cuda:N". */
  const char* device;
  int32_t threads;    /* CPU threads; 0: as many as this process may use */
  int32_t interlaced; /* 1: rows 0, 2, 4, ... and rows 1, 3, 5, ... are separate pictures */
  int32_t host;       /* 1: planes lie in the host's memory, for "cuda:N" as well */
  /* 1: filters act in linear light, on all colours: R, G, B and grey by the transfer function of
   * sRGB, YUV by that of BT.709. Only for pixel formats by FFmpeg's name, and not for floats. */
  int32_t linear;
} vidconv_plan_options;

/* Makes a plan for a chain of `count` filters, at least one. For "cuda:N" it waits for that device
 * and allocates there, and leaves the thread's current device as it was. Fails with VIDCONV_USAGE,
 * VIDCONV_DEVICE (no such device, out of memory, or a build without CUDA). */
VIDCONV_API vidconv_status vidconv_plan_new(const vidconv_filter* const* filters, size_t count,
                                            const vidconv_plan_options* options,
                                            vidconv_plan** plan, vidconv_error* error);
/* Frees a plan. For a CUDA plan it waits for the work that was queued. */
VIDCONV_API void vidconv_plan_free(vidconv_plan* plan);

/* Filters one picture. `planes` is their number, as in vidconv_plan_info. For each plane `from` and
 * `to` have the address of the first sample, and the strides are the bytes from one row to the
 * next: they may be negative, but with several rows not smaller than a row. Addresses and strides
 * are multiples of a sample's bytes. `from` is only read. In `to` only samples change; bytes
 * between them in a row, such as the fourth byte of "bgr0", may be rewritten with their old value.
 * Planes of `to` must overlap neither each other nor those of `from`.
 *
 * For "cpu", and if vidconv_plan_options.host is 1, `stream` is ignored, and the picture is
 * complete on return. With "cuda:N" planes are then copied to the device and back on a stream of
 * the plan's own: several plans, each on a thread of its own, keep a device busy.
 * Otherwise, for "cuda:N", planes lie in memory that the device can use, in its primary context,
 * which CUDA's runtime and torch use. The work is queued on `stream`, a cudaStream_t or CUstream of
 * that device (NULL: the default stream), and the function returns without blocking; planes must
 * stay valid until the stream has done the work. If the stream is not the last call's, it is made
 * to wait for the work on the other one. The stream must not be capturing a graph. Errors of
 * earlier work on the device may be reported here.
 *
 * Allocates nothing, except for the first picture. Thread-safe; calls on one plan take turns. Fails
 * with VIDCONV_USAGE, VIDCONV_DEVICE; with VIDCONV_USAGE too if a filter is over time:
 * vidconv_plan_run_window() gives it the pictures around. */
VIDCONV_API vidconv_status vidconv_plan_run(vidconv_plan* plan, size_t planes,
                                            const void* const* from, const ptrdiff_t* from_strides,
                                            void* const* to, const ptrdiff_t* to_strides,
                                            void* stream, vidconv_error* error);

/* Pictures of a video that follow each other, of which one is filtered: for plans whose filters are
 * over time. All numbers count from 0. */
typedef struct vidconv_window {
  size_t size;
  int64_t result;   /* number of the result: the one of picture result * every + phase, which
                       vidconv_plan_get_reach() gives */
  int64_t first;    /* number of the first picture that is given */
  int64_t pictures; /* number of pictures that are given */
  int32_t goes_on;  /* 1: of the same video as the last window of this plan; sums and results
                       between filters are kept for it. Pictures that were given before still have
                       the same samples, and may lie elsewhere */
} vidconv_window;

/* Filters one picture of a video into `to`, as vidconv_plan_run() does. `from` and `from_strides`
 * have the planes of all pictures of the window, picture after picture: each has `planes` of them.
 *
 * The window holds the picture itself and the reach before and after it. Where it begins later,
 * that is with picture 0; where it ends earlier, the video ends there, and each filter's border
 * says what stands for the pictures that there are not. One picture more before it lets long means
 * be carried on, if goes_on is 1.
 *
 * On a CUDA device with vidconv_plan_options.host 1, pictures are copied there, each once where
 * goes_on is 1. Otherwise the planes of the whole window lie in the device's memory and stay valid
 * until `stream` has done the work. Filters with `cut=` compare pictures on the CPU: the function
 * then waits for the stream.
 *
 * Windows may come in any order. Allocates handles, and pictures for the first windows, for which
 * it may wait for the device. Thread-safe; calls on one plan take turns. Fails as
 * vidconv_plan_run() does, and with VIDCONV_USAGE for a window that is too small. */
VIDCONV_API vidconv_status vidconv_plan_run_window(vidconv_plan* plan, const vidconv_window* window,
                                                   size_t planes, const void* const* from,
                                                   const ptrdiff_t* from_strides, void* const* to,
                                                   const ptrdiff_t* to_strides, void* stream,
                                                   vidconv_error* error);

/* The pictures that a result depends on. */
typedef struct vidconv_reach {
  size_t size;
  int64_t before, after; /* pictures before and after the one that is filtered */
  int64_t every, phase;  /* result m is the one of picture m * every + phase: 1 and 0, unless a
                            filter leaves out pictures */
} vidconv_reach;

/* Tells which pictures a plan's results depend on. Quick. */
VIDCONV_API vidconv_status vidconv_plan_get_reach(const vidconv_plan* plan, vidconv_reach* reach,
                                                  vidconv_error* error);

/* Describes a plan. */
typedef struct vidconv_plan_info {
  size_t size;
  int32_t width, height; /* pixels */
  int32_t planes;        /* number of planes for vidconv_plan_run() */
  int32_t steps;         /* number of steps for vidconv_plan_get_step() */
  int32_t exact;         /* 1: every step is exact */
  int32_t device;        /* number of the CUDA device; -1: the CPU */
  int64_t memory;        /* bytes for results between filters, on the device or the host */
} vidconv_plan_info;

/* Describes a plan. Quick. */
VIDCONV_API vidconv_status vidconv_plan_get_info(const vidconv_plan* plan, vidconv_plan_info* info,
                                                 vidconv_error* error);

/* Describes the layout of a picture's plane. */
typedef struct vidconv_plane_info {
  size_t size;
  int64_t row_bytes;    /* bytes of a row's samples, the smallest stride */
  int32_t rows;         /* after subsampling */
  int32_t sample_bytes; /* 1, 2 or 4 */
} vidconv_plane_info;

/* Describes a plane; `plane` counts from 0. Quick. Fails with VIDCONV_USAGE if there is none. */
VIDCONV_API vidconv_status vidconv_plan_get_plane(const vidconv_plan* plan, size_t plane,
                                                  vidconv_plane_info* info, vidconv_error* error);

/* Describes a step: the computation of some components of a picture. Texts live as long as the
 * plan. */
typedef struct vidconv_step_info {
  size_t size;
  const char* filter;     /* as it was given */
  const char* action;     /* "filter", "copy" or "fill" */
  const char* components; /* "Y", "UV", "RGB"; a "C" for each of bare samples */
  const char* variant;    /* name of the kernel variant, as --list-variants has it */
  const char* arithmetic; /* "int32", "float32" or "float64": docs/numerics.md */
  int32_t two_passes;     /* 1: rows first, then columns, by definition */
  int32_t exact;          /* 1: equal to real arithmetic, rounded once */
  double error_bound;     /* otherwise: largest error before rounding, in codes */
} vidconv_step_info;

/* Describes a step; `step` counts from 0 in the order of execution. Quick. Fails with VIDCONV_USAGE
 * if there is none. */
VIDCONV_API vidconv_status vidconv_plan_get_step(const vidconv_plan* plan, size_t step,
                                                 vidconv_step_info* info, vidconv_error* error);

/* ---- Videos ---- */

/* The settings and callbacks of a run. */
typedef struct vidconv_job vidconv_job;

/* Makes a job. Quick, as all functions of jobs but vidconv_job_run(). Fails with VIDCONV_DEVICE if
 * memory is out. */
VIDCONV_API vidconv_status vidconv_job_new(vidconv_job** job, vidconv_error* error);
/* Frees a job, which must not be running. Readers and writers that were opened with it stay
 * valid. */
VIDCONV_API void vidconv_job_free(vidconv_job* job);

/* Sets a value that the command takes by an option of nearly the same name, in the same syntax:
 * "input", "output", "kernel", "codec", "crf", ...; vidconv_setting_name() lists them all. Kernels,
 * encoder_options, muxer_options and input_options may be set several times, and each value is
 * added; of other settings the last value counts, and "" restores the default. Switches are "1" and
 * "0". Fails with VIDCONV_USAGE for an unknown name or value. Whether settings fit each other and
 * the input is checked when the job runs. */
VIDCONV_API vidconv_status vidconv_job_set(vidconv_job* job, const char* name, const char* value,
                                           vidconv_error* error);
/* Sets a value that is a whole number: as vidconv_job_set() for its decimals, so that numbers and
 * words may be mixed. */
VIDCONV_API vidconv_status vidconv_job_set_int(vidconv_job* job, const char* name, int64_t value,
                                               vidconv_error* error);
/* Sets a value that is a number. Fails with VIDCONV_USAGE for what is not finite, too. */
VIDCONV_API vidconv_status vidconv_job_set_double(vidconv_job* job, const char* name, double value,
                                                  vidconv_error* error);
/* Sets a switch, to 0 or 1. */
VIDCONV_API vidconv_status vidconv_job_set_switch(vidconv_job* job, const char* name, int value,
                                                  vidconv_error* error);

/* A box in which filters act on one frame, or of one object that moves: between two boxes of one id
 * it goes in a straight line (docs/places.md). */
typedef struct vidconv_box {
  size_t size;
  /* Pixels of the picture as it is shown, or shares of its width and height if the options say
   * units=relative. Fractions are allowed. Parts beyond the picture are cut off. */
  double x;        /* left edge */
  double y;        /* upper edge */
  double width;    /* more than 0 */
  double height;   /* more than 0 */
  int64_t frame;   /* number of the frame in the whole input, from 0 */
  double time;     /* seconds from the input's beginning; only if by_time is 1 */
  int32_t by_time; /* 1: the box is on the frame that is shown at `time`; 0: on frame `frame` */
  int32_t ellipse; /* 1: the ellipse that the box is drawn around; 0: all of the box */
  int32_t filter;  /* number in the chain of kernels, from 1; 0: those of "regions_default", or all
                      that have no place of their own */
  const char* id;  /* names the object, UTF-8; NULL or "": a box without others */
} vidconv_box;

/* Sets the boxes of "regions" as a list instead of a file. `regions` is an array of `count`
 * structs, each as large as `size` of the first says, and is copied; 0 boxes restore the default.
 * `options` are those that follow a file's name, "grow=15%:hold=12:feather=8"; NULL for none. The
 * last call counts, of this function or of vidconv_job_set() for "regions".
 *
 * Fails with VIDCONV_USAGE: the message names "regions[2]" if that box makes no sense. Whether one
 * id has two boxes on one frame, and whether there is such a filter, is checked when the job runs.
 * A run in which a box was applied to no frame fails. A file of "regions" is read by each run. */
VIDCONV_API vidconv_status vidconv_job_set_regions(vidconv_job* job, const vidconv_box* regions,
                                                   size_t count, const char* options,
                                                   vidconv_error* error);

/* Returns a setting's name; `index` counts from 0; NULL after the last one. The text lives as long
 * as the program. Thread-safe. */
VIDCONV_API const char* vidconv_setting_name(size_t index);
/* Returns a setting's meaning, one line for people, with the values that it takes. Thread-safe. */
VIDCONV_API const char* vidconv_setting_meaning(size_t index);

/* The progress of a run. */
typedef struct vidconv_progress {
  size_t size;     /* set by the library */
  int64_t frames;  /* frames in the output */
  int64_t total;   /* total that the input announces, may be wrong; -1 if it announces none */
  double seconds;  /* time since the start */
  double position; /* duration of the output so far, in seconds of the video's time */
  int64_t bytes;   /* size of the output so far */
} vidconv_progress;
/* Called on a thread of the library or on the one that runs the job: after the first frame, ten
 * times a second and after the last; blocks the run. Returns 0 to go on, anything else to cancel.
 * Must not free the object that calls it. */
typedef int (*vidconv_progress_function)(void* user, const vidconv_progress* progress);
/* Sets the function that hears of progress; NULL for none. */
VIDCONV_API vidconv_status vidconv_job_on_progress(vidconv_job* job,
                                                   vidconv_progress_function function, void* user,
                                                   vidconv_error* error);

/* A message to the user that does not end the run. */
typedef struct vidconv_message {
  size_t size;      /* set by the library */
  const char* kind; /* as in the table of the command's manual: "converted", "left-out", ... */
  const char* text; /* one line without control characters, valid during the call */
} vidconv_message;
/* Hears what was chosen, converted, left out or assumed. Called on any thread, and on several at
 * once. */
typedef void (*vidconv_message_function)(void* user, const vidconv_message* message);
/* Sets the function that hears messages; NULL for none. */
VIDCONV_API vidconv_status vidconv_job_on_message(vidconv_job* job,
                                                  vidconv_message_function function, void* user,
                                                  vidconv_error* error);

/* The statistics of a run. */
typedef struct vidconv_stats {
  size_t size;
  int64_t decoded, filtered, encoded, written;     /* frames; written: in the output */
  int64_t verified;                                /* frames checked by the setting "verify" */
  int64_t bytes;                                   /* size of the output */
  int64_t host_bytes, device_bytes;                /* memory for frames */
  double seconds;                                  /* duration of the run */
  int64_t damaged_packets, damaged_frames, errors; /* in the input */
  char limiting_stage[32];        /* the busiest stage: "decode", "convolve", "encode", ... */
  char device[128];               /* "CPU, 8 threads" */
  char encoder[256];              /* the encoder and its settings; empty if there is none */
  double psnr, ssim, vmaf, xpsnr; /* by the setting "measure"; NAN if not measured, INFINITY if
                                     nothing differs */
  double crf;                     /* found by the setting "target"; NAN without it */
} vidconv_stats;

/* Filters the input into the output. Waits until the output is complete and has its name. `stats`
 * may be NULL; it is written however the run ends, with what was done by then.
 *
 * With VIDCONV_DAMAGED there is an output, but frames are missing or wrong. With VIDCONV_CANCELLED
 * the output holds the frames so far; without a frame there is none. After any other failure there
 * is no output, and an older file is unchanged.
 *
 * May be run again. Only one thread at a time may run a job. */
VIDCONV_API vidconv_status vidconv_job_run(vidconv_job* job, vidconv_stats* stats,
                                           vidconv_error* error);

/* Ends vidconv_job_run(), vidconv_reader_open() and vidconv_writer_open() with this job soon, on
 * whatever thread they run, and later calls at once. Open readers and writers go on. Thread-safe,
 * also in callbacks and signal handlers. Takes NULL. Quick. */
VIDCONV_API void vidconv_job_cancel(vidconv_job* job);

/* ---- Frames of a video, in and out ---- */

/* The properties that all frames of a video share. */
typedef struct vidconv_video {
  size_t size;
  const char* format;                           /* FFmpeg's name of the pixel format: "yuv420p" */
  int32_t width, height;                        /* pixels, as stored */
  int32_t time_base_num, time_base_den;         /* seconds for each tick */
  int32_t frame_rate_num, frame_rate_den;       /* frames per second; 0/1 if unknown */
  int32_t sample_aspect_num, sample_aspect_den; /* 0/1 if unknown */
  const char* range;     /* "tv" (limited) or "pc" (full), as FFmpeg names it; NULL if unknown */
  const char* primaries; /* FFmpeg's name, "bt709"; NULL if unknown */
  const char* transfer;  /* FFmpeg's name; NULL if unknown */
  const char* matrix;    /* FFmpeg's name; NULL if unknown */
  int64_t frames;        /* if known before reading, else -1; a writer ignores it */
  double seconds;        /* if known before reading, else -1; a writer ignores it */
} vidconv_video;

/* Reads the filtered frames of a job's input one by one, in order of time, or from any frame on.
 * Without a kernel frames come unfiltered. Settings of the output are ignored but "pixel_format":
 * frames are converted to it after they are filtered, by the video's own matrix, range and place of
 * chroma. "rgb24", "bgr24", "gray", "gbrpf32" and their like come in full range. The transfer
 * function stays. Progress is not reported. */
typedef struct vidconv_reader vidconv_reader;

/* Opens a reader. Waits until the input is open and the device is awake. Decoding begins at once on
 * the reader's own threads, and pauses when a few frames wait. The job is copied; its callback for
 * messages has to live as long as the reader. */
VIDCONV_API vidconv_status vidconv_reader_open(const vidconv_job* job, vidconv_reader** reader,
                                               vidconv_error* error);
/* Opens a reader whose frames stay in the memory of the job's device, which is one CUDA device:
 * "device" is "cuda" or "cuda:N". They are decoded there where "decoder" says so, else uploaded,
 * and never downloaded. Their format is the video's: "pixel_format" may name no other. Otherwise as
 * vidconv_reader_open(). Fails with VIDCONV_USAGE also if "verify", "compare", "measure" or "audit"
 * would look at frames on the CPU, and with VIDCONV_DEVICE where the device is not there or the
 * library was built without CUDA. */
VIDCONV_API vidconv_status vidconv_reader_open_on_device(const vidconv_job* job,
                                                         vidconv_reader** reader,
                                                         vidconv_error* error);
/* Frees a reader. Waits until its threads have ended. Its frames stay valid. */
VIDCONV_API void vidconv_reader_free(vidconv_reader* reader);
/* Describes the video. Texts live as long as the reader. Quick. */
VIDCONV_API vidconv_status vidconv_reader_get_video(const vidconv_reader* reader,
                                                    vidconv_video* video, vidconv_error* error);

/* A filtered frame. It is immutable: any number of threads may read it at once. */
typedef struct vidconv_frame vidconv_frame;

/* Waits for the next frame. A frame on a device is complete: any stream may read it at once. If
 * more than 8 frames were freed whose work on the caller's streams is not done, it waits for the
 * oldest, so that memory does not grow where the caller queues faster than the device works. At the
 * end `*frame` is NULL, and this and all later calls return VIDCONV_OK, VIDCONV_DAMAGED if frames
 * of the input were missing or wrong, VIDCONV_CANCELLED, or the status of a failure. One thread at
 * a time. */
VIDCONV_API vidconv_status vidconv_reader_next(vidconv_reader* reader, vidconv_frame** frame,
                                               vidconv_error* error);
/* Fails with VIDCONV_USAGE if frames cannot be found by their number, because the input can be read
 * once only: a pipe, a device, a stream. Quick. */
VIDCONV_API vidconv_status vidconv_reader_check_seek(const vidconv_reader* reader,
                                                     vidconv_error* error);
/* Returns how many frames there are from the first to the last, exactly. The first call of this
 * and of the next two functions looks through the packets of the input; where packets do not tell
 * how many frames they hold it decodes and filters all of it, and waits as long as that takes. It
 * does not change which frame comes next. Fails as vidconv_reader_check_seek() does. One thread at
 * a time, as with vidconv_reader_next(). */
VIDCONV_API vidconv_status vidconv_reader_count(vidconv_reader* reader, int64_t* count,
                                                vidconv_error* error);
/* Returns the number of the frame that is shown at a time, in ticks of the video's time base: the
 * last one that is not later. It is -1 before the first frame. */
VIDCONV_API vidconv_status vidconv_reader_find(vidconv_reader* reader, int64_t pts, int64_t* number,
                                               vidconv_error* error);
/* Makes vidconv_reader_next() go on with the frame of this number, counted from 0: the one that it
 * would have given in its turn, whatever the codec. Where the input allows, decoding begins at the
 * key frame before it, else at the first frame. Waits for the frames that are being decoded.
 * Messages are not repeated. Fails with VIDCONV_USAGE for a number that there is not. */
VIDCONV_API vidconv_status vidconv_reader_seek(vidconv_reader* reader, int64_t number,
                                               vidconv_error* error);
/* Makes the functions above return soon, on whatever thread they run. Thread-safe. Takes NULL.
 * Quick. */
VIDCONV_API void vidconv_reader_cancel(vidconv_reader* reader);

/* Says that work which is queued by now on `stream` reads a frame on a device: after it was freed
 * its memory is not used again before the stream has done that. To be called after the work was
 * queued, for each stream; without it the work must be done when the frame is freed. `stream` is a
 * cudaStream_t or CUstream of the frame's device (NULL: the default stream), not capturing a graph.
 * The work itself must not write. Thread-safe. Does not block. Fails with VIDCONV_USAGE for a frame
 * in the host's memory, and with VIDCONV_DEVICE. */
VIDCONV_API vidconv_status vidconv_frame_used_on(vidconv_frame* frame, void* stream,
                                                 vidconv_error* error);
/* Frees a frame: its memory is used again for later frames, and until then it stays allocated. May
 * be called on any thread, even after the reader was freed. Quick; but where a reader was freed
 * before, its frames on a device wait for that device. */
VIDCONV_API void vidconv_frame_free(vidconv_frame* frame);

/* Describes a frame. */
typedef struct vidconv_frame_info {
  size_t size;
  int64_t number;          /* from 0 */
  int64_t pts, duration;   /* ticks of the video's time base; duration 0 if unknown */
  int32_t width, height;   /* pixels */
  int32_t interlaced;      /* 1: two fields of alternate rows */
  int32_t top_field_first; /* 1: the field with row 0 is the first in time */
  int32_t planes;          /* 1 to 4; members of unused planes are 0 */
  const void* data[4];     /* memory of the host or the device, which lives as long as the frame */
  ptrdiff_t stride[4];     /* bytes from one row to the next */
  int64_t row_bytes[4];    /* bytes of a row's samples */
  int32_t rows[4];         /* number of rows of each plane */
  int32_t on_device;       /* 1: `data` are addresses in the memory of cuda:`device` */
  int32_t device;          /* number of that CUDA device */
} vidconv_frame_info;

/* Describes a frame. Quick. */
VIDCONV_API vidconv_status vidconv_frame_get_info(const vidconv_frame* frame,
                                                  vidconv_frame_info* info, vidconv_error* error);

/* Returns a frame of the same picture in another pixel format, as "pixel_format" of a reader would
 * give it. The frame that was given stays. Thread-safe. Waits for the conversion. Fails with
 * VIDCONV_USAGE where the format is unknown or FFmpeg cannot convert to it, and for frames on a
 * device. */
VIDCONV_API vidconv_status vidconv_frame_convert(const vidconv_frame* frame, const char* format,
                                                 vidconv_frame** converted, vidconv_error* error);

/* Writes the caller's frames, filtered by the job's kernels if it has any, to the job's output. */
typedef struct vidconv_writer vidconv_writer;

/* Opens a writer. `video` describes the frames to come; its time base and frame rate must not both
 * be unknown (0). Waits until the output is open. The job is copied; what its callbacks need has to
 * live as long as the writer. */
VIDCONV_API vidconv_status vidconv_writer_open(const vidconv_job* job, const vidconv_video* video,
                                               vidconv_writer** writer, vidconv_error* error);

/* The frame's time follows from the frame rate. */
#define VIDCONV_NO_TIME INT64_MIN
/* Takes a frame, with planes as in vidconv_plan_run(), in the host's memory; they are copied on
 * return. `pts` is in ticks of the video's time base and later than the previous one, or
 * VIDCONV_NO_TIME. Waits while earlier frames are being filtered and encoded. A failure may be that
 * of any frame so far; all later calls return the same. One thread at a time. */
VIDCONV_API vidconv_status vidconv_writer_write(vidconv_writer* writer, size_t planes,
                                                const void* const* data, const ptrdiff_t* strides,
                                                int64_t pts, vidconv_error* error);
/* Takes a frame from the memory of the job's device, which is one CUDA device: "device" is "cuda"
 * or "cuda:N". Encoders of that device get it there; for others it is downloaded once. The picture
 * is read on `stream`, as in vidconv_plan_run(), after the work that is queued there by now: the
 * planes must stay as they are until the stream has gone on, and may then be changed or freed by
 * what is queued on it later. Waits while earlier frames are being filtered and encoded, but not
 * for the stream. A writer takes frames from both memories in any order. Fails as
 * vidconv_writer_write() does; with VIDCONV_USAGE for memory that the device cannot use, for a job
 * on the CPU, "auto" or several devices, and where "verify", "compare" or "measure" look at frames
 * on the CPU. */
VIDCONV_API vidconv_status vidconv_writer_write_on_device(vidconv_writer* writer, size_t planes,
                                                          const void* const* data,
                                                          const ptrdiff_t* strides, int64_t pts,
                                                          void* stream, vidconv_error* error);
/* Ends the frames: waits until the output is complete and has its name. To be called once; `stats`
 * is as in vidconv_job_run(). */
VIDCONV_API vidconv_status vidconv_writer_finish(vidconv_writer* writer, vidconv_stats* stats,
                                                 vidconv_error* error);
/* Discards the output: vidconv_writer_write() and vidconv_writer_finish() return VIDCONV_CANCELLED
 * soon, on whatever thread they run, there is no output, and an older file is unchanged. An output
 * that is already complete stays, and finishing it returns VIDCONV_OK. Thread-safe, also in
 * callbacks. Takes NULL. Quick. */
VIDCONV_API void vidconv_writer_cancel(vidconv_writer* writer);
/* Frees a writer. If it was not finished, there is no output, and an older file is unchanged. */
VIDCONV_API void vidconv_writer_free(vidconv_writer* writer);

#ifdef __cplusplus
}
#endif

#endif /* VIDCONV_VIDCONV_H */
