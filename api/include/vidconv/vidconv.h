/* vidconv for other programs, in C99: filters pictures in memory and videos in files, on the CPU
 * and on CUDA devices, with the bytes that the command makes. Link libvidconv (pkg-config: vidconv;
 * CMake: vidconv::vidconv). Recipes: docs/c-api.md.
 *
 * What holds for every function, where it does not say otherwise:
 *
 * Threads. Functions may be called from any thread. Different objects have nothing to do with
 * each other; one object belongs to one thread at a time.
 *
 * Ownership. What functions ending in _new, _parse, _open and _next give out is the caller's, to be
 * given back by the one ending in _free, which takes NULL too. Texts and structs that are passed in
 * are copied: they may be dropped when the function has returned. Texts that come out are UTF-8,
 * end with 0 and live as long as the object that they are asked of.
 *
 * Errors. Who can fail returns a vidconv_status and has a last argument `error`, which may be
 * NULL. Where the status is not VIDCONV_OK, nothing was given out (`*object` is NULL) unless the
 * function says so. NULL where something is needed, sizes and numbers out of range and the like are
 * VIDCONV_USAGE.
 *
 * Blocking. "Quick" functions wait for nothing; the others say what they wait for.
 *
 * The process. No exception gets out; the library prints nothing; no signal handler, no handler of
 * libav*'s log and no environment is set. What libav* logs goes where the program has told it to,
 * which is stderr unless it has: see vidconv_hear_libav(). SIGPIPE is the caller's affair where an
 * output is a pipe. Objects do not survive fork().
 *
 * Structs begin with `size`, which the caller sets to sizeof the struct as this header has it, so
 * that they can grow: members are only ever added at the end, and 0 is always a member's default. A
 * struct with more members than the library knows is taken as long as those are 0, and those that
 * come out are set to 0.
 *
 *   vidconv_error error = VIDCONV_INIT(vidconv_error);
 */
#ifndef VIDCONV_VIDCONV_H
#define VIDCONV_VIDCONV_H

#include <stddef.h>
#include <stdint.h>
#include <vidconv/version.h>

/* What the library exports. */
#define VIDCONV_API __attribute__((visibility("default")))

/* A struct with its size set and 0 in all else. */
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

/* Of the library that is running, as VIDCONV_VERSION is of this header: 1.2.3 is 10203. Before 1.0
 * a program needs the minor version that it was compiled with. Quick. */
VIDCONV_API int vidconv_version(void);
/* "0.1.0". Quick. */
VIDCONV_API const char* vidconv_version_text(void);
/* The version of the numeric promise, from 1: where two libraries have the same, the same filters
 * give the same bytes (docs/numerics.md). Quick. */
VIDCONV_API int vidconv_numerics(void);

/* Sets libav*'s handler of its log, of which a process has one: what libav* would print on stderr
 * is kept from it, explains errors, and counts as damage of an input where nothing else speaks of
 * it. Without it libav* logs as the program has told it to, and some damage goes unseen that the
 * command would report. Before the first job is opened; once is enough. Quick. */
VIDCONV_API void vidconv_hear_libav(void);

/* How many CUDA devices "cuda:N" can name; 0 also where the library was built without CUDA. Waits
 * for the driver. */
VIDCONV_API int vidconv_cuda_devices(void);

/* ---- Errors ---- */

/* The numbers are the exit codes of the command. */
typedef int vidconv_status;
enum {
  VIDCONV_OK = 0,       /* done */
  VIDCONV_INTERNAL = 1, /* vidconv itself is at fault */
  VIDCONV_USAGE = 2,    /* what was asked for makes no sense */
  VIDCONV_INPUT = 3,    /* the input cannot be read */
  VIDCONV_OUTPUT = 4,   /* the output cannot be written */
  VIDCONV_DEVICE = 5, /* a device is missing, refuses or ran out of memory; the host's memory too */
  VIDCONV_VERIFICATION = 6, /* two ways to compute a frame disagree */
  VIDCONV_DAMAGED = 7,      /* done, but frames of the input are missing or wrong */
  VIDCONV_AGAIN = 75,       /* what failed may succeed later */
  VIDCONV_CANCELLED = 130   /* ended early because the caller wanted it */
};

/* What failed. Written where a function does not return VIDCONV_OK; else as it was. A text that is
 * too long is cut between two characters. */
typedef struct vidconv_error {
  size_t size;           /* set by the caller; where it makes no sense the struct is not touched */
  vidconv_status status; /* what the function returned */
  /* Where in the filter's specification, in bytes from 1; 0 where that is not the fault. */
  int32_t column;
  /* The frame that was being worked on, from 0; -1 where it was none. */
  int64_t frame;
  /* The kind of failure, of the table in the command's manual: "filter-spec", "input-missing", ...
   */
  char kind[32];
  /* One line for people: what, which value, why. Settings are named as vidconv_job_set() does. */
  char message[1024];
  char remedy[256]; /* what a person can do about it; may be empty */
} vidconv_error;

/* ---- Filters ---- */

/* A specification, checked. It does not change: any number of threads may use one at once. */
typedef struct vidconv_filter vidconv_filter;

/* `spec`: as `vidconv --kernel` takes it: "gaussian:sigma=2", "matrix:0 -1 0;-1 5 -1;0 -1 0". Waits
 * for the file of a "file:" specification, and for nothing else. Fails with VIDCONV_USAGE:
 * error->column says where. */
VIDCONV_API vidconv_status vidconv_filter_parse(const char* spec, vidconv_filter** filter,
                                                vidconv_error* error);
/* Plans and jobs that were made with it stay. Quick. */
VIDCONV_API void vidconv_filter_free(vidconv_filter* filter);

/* The specification as it was given; NULL for NULL. Quick. */
VIDCONV_API const char* vidconv_filter_text(const vidconv_filter* filter);
/* What most likely was not meant, with a remedy, a line each: `index` 0 and up; NULL after the last
 * one, and for NULL. Quick. */
VIDCONV_API const char* vidconv_filter_warning(const vidconv_filter* filter, size_t index);

/* ---- Pictures in memory ---- */

/* Filters for pictures of one format and size, ready to run: taps in their final form, memory
 * allocated. */
typedef struct vidconv_plan vidconv_plan;

/* What a plan is made for. */
typedef struct vidconv_plan_options {
  size_t size;
  /* What a picture is made of, one of:
   * - a pixel format by FFmpeg's name, of those that `vidconv --list-formats` lists: "gray",
   * "rgb24", "rgba", "nv12", "yuv420p10le", "gbrpf32le". Filters act on its planes as the command
   * has it: edges grey, alpha copied.
   * - samples of which nothing else is known, all of them filtered: "u8", "u9" to "u16" (the bits
   * in the lower end of two bytes), "f32" (floats, black 0 and white 1). "x3" behind it: so many
   * samples for each pixel, side by side in one plane (rows, columns, channels). "p3": so many
   * planes (channels, rows, columns). "u8x4", "f32p3"; 1 to 4096. Samples are in this machine's
   * order of bytes. */
  const char* format;
  int32_t width, height; /* pixels, at least 1; together at most 2^28 */
  /* "reflect101" (for NULL), "reflect", "replicate", "wrap", "zero" or "constant:V". */
  const char* border;
  /* Of filters without planes of their own: "all", "luma", "chroma" or a list ("y,u"); NULL: each
   * as it is meant. */
  const char* planes;
  /* "cpu" (for NULL) or "cuda:N". */
  const char* device;
  int32_t threads;    /* of the CPU; 0: as many as this process may use */
  int32_t interlaced; /* 1: rows 0, 2, 4, ... and rows 1, 3, 5, ... are pictures of their own */
  int32_t host;       /* 1: of "cuda:N" too, planes lie in the host's memory */
} vidconv_plan_options;

/* A plan for `count` filters, one after the other; at least one. Of "cuda:N" it waits for that
 * device and allocates there, and leaves the thread's current device as it was. Fails with
 * VIDCONV_USAGE, VIDCONV_DEVICE (no such device, memory out, or a build without CUDA). */
VIDCONV_API vidconv_status vidconv_plan_new(const vidconv_filter* const* filters, size_t count,
                                            const vidconv_plan_options* options,
                                            vidconv_plan** plan, vidconv_error* error);
/* Of a CUDA plan it waits for what was run. */
VIDCONV_API void vidconv_plan_free(vidconv_plan* plan);

/* Filters one picture. `planes`: how many there are of it, as vidconv_plan_info has it; of each the
 * first sample that is read and the one that is written, and the bytes from a row to the next,
 * which may be negative, but not less than a row has where there are several rows. Addresses and
 * strides are multiples of a sample's bytes. `from` is only read. No byte of `to` but the samples
 * is changed; what lies between those of a row, as the fourth byte of "bgr0", may be written as it
 * was. The planes that are written must overlap neither each other nor those that are read.
 *
 * "cpu", and where vidconv_plan_options.host is 1: `stream` is ignored; done on return. From host
 * to device and back planes are copied on a stream of the plan's own: several plans, on a thread
 * each, keep a device at work.
 * "cuda:N" else: planes lie in memory that the device can use, of its primary context, as all of
 * CUDA's runtime and torch have it. The work is queued on `stream`, a cudaStream_t or CUstream of
 * that device (NULL: the default stream), and the function returns; planes are needed until the
 * stream has got so far. Waits for nothing, also where the stream is another than before: a stream
 * that is new to the plan is made to wait for what was run on the other. The stream must not be
 * capturing a graph. Errors of earlier work on the device may come out here.
 *
 * Allocates nothing, but for what the first picture may need. Any thread; calls on one plan take
 * turns. Fails with VIDCONV_USAGE, VIDCONV_DEVICE. */
VIDCONV_API vidconv_status vidconv_plan_run(vidconv_plan* plan, size_t planes,
                                            const void* const* from, const ptrdiff_t* from_strides,
                                            void* const* to, const ptrdiff_t* to_strides,
                                            void* stream, vidconv_error* error);

/* What a plan is. */
typedef struct vidconv_plan_info {
  size_t size;
  int32_t width, height; /* pixels */
  int32_t planes;        /* that vidconv_plan_run() takes */
  int32_t steps;         /* that vidconv_plan_get_step() tells of */
  int32_t exact;         /* 1: every step is */
  int32_t device;        /* of CUDA; -1: the CPU */
  int64_t memory;        /* bytes for what lies between filters, on the device or the host */
} vidconv_plan_info;

/* Quick. */
VIDCONV_API vidconv_status vidconv_plan_get_info(const vidconv_plan* plan, vidconv_plan_info* info,
                                                 vidconv_error* error);

/* What a plane of a picture takes. */
typedef struct vidconv_plane_info {
  size_t size;
  int64_t row_bytes;    /* of the samples of a row: the smallest stride */
  int32_t rows;         /* subsampling is in it */
  int32_t sample_bytes; /* 1, 2 or 4 */
} vidconv_plane_info;

/* `plane`: from 0. Quick. Fails with VIDCONV_USAGE where there is none. */
VIDCONV_API vidconv_status vidconv_plan_get_plane(const vidconv_plan* plan, size_t plane,
                                                  vidconv_plane_info* info, vidconv_error* error);

/* What is computed for some components of a picture. Texts live as long as the plan. */
typedef struct vidconv_step_info {
  size_t size;
  const char* filter;     /* as it was given */
  const char* action;     /* "filter", "copy" or "fill" */
  const char* components; /* "Y", "UV", "RGB"; of bare samples a "C" each */
  const char* variant;    /* what computes it: "cpu-conv-int16", "cuda-dense-imma", ... */
  const char* arithmetic; /* "int32", "float32" or "float64": docs/numerics.md */
  int32_t two_passes;     /* 1: rows first, then columns, by definition */
  int32_t exact;          /* 1: equal to real arithmetic, rounded once */
  double error_bound;     /* else how far from that before the rounding, in codes */
} vidconv_step_info;

/* `step`: from 0, in order of execution. Quick. Fails with VIDCONV_USAGE where there is none. */
VIDCONV_API vidconv_status vidconv_plan_get_step(const vidconv_plan* plan, size_t step,
                                                 vidconv_step_info* info, vidconv_error* error);

/* ---- Videos ---- */

/* What is to be done: settings and callbacks. */
typedef struct vidconv_job vidconv_job;

/* Quick, as all but vidconv_job_run(). Fails with VIDCONV_DEVICE where memory is out. */
VIDCONV_API vidconv_status vidconv_job_new(vidconv_job** job, vidconv_error* error);
/* Not while it runs. Readers and writers that were opened with it stay. */
VIDCONV_API void vidconv_job_free(vidconv_job* job);

/* Sets what the command sets by an option of nearly the same name, in the same words: "input",
 * "output", "kernel", "codec", "crf", ...; vidconv_setting_name() lists them all. Kernels,
 * encoder_options, muxer_options and input_options may be set several times, and each is added; of
 * the others the last one counts, and "" is the default again. Switches are "1" and "0". Fails with
 * VIDCONV_USAGE for a name or a value that does not exist. What settings make of each other, and of
 * the input, is found out when the job runs. */
VIDCONV_API vidconv_status vidconv_job_set(vidconv_job* job, const char* name, const char* value,
                                           vidconv_error* error);
/* `index` 0 and up; NULL after the last one. Live as long as the program. Any thread. */
VIDCONV_API const char* vidconv_setting_name(size_t index);
/* One line for people, with the values that it takes. */
VIDCONV_API const char* vidconv_setting_meaning(size_t index);

/* How far a run has come. */
typedef struct vidconv_progress {
  size_t size;     /* set by the library */
  int64_t frames;  /* that are in the output */
  int64_t total;   /* as far as the input says it, it may be wrong; -1 where it does not */
  double seconds;  /* since the start */
  double position; /* how much of the video is in the output, in seconds of its time */
  int64_t bytes;   /* of the output so far */
} vidconv_progress;
/* Called on a thread of the library's, or on the one that runs the job: after the first frame, ten
 * times a second and after the last; the run waits for it. Returns 0 to go on, anything else to
 * cancel. Must not free what calls it. */
typedef int (*vidconv_progress_function)(void* user, const vidconv_progress* progress);
/* NULL: nobody hears. */
VIDCONV_API vidconv_status vidconv_job_on_progress(vidconv_job* job,
                                                   vidconv_progress_function function, void* user,
                                                   vidconv_error* error);

/* What a person may want to know of a run that goes on. */
typedef struct vidconv_message {
  size_t size;      /* set by the library */
  const char* kind; /* of the table in the command's manual: "converted", "left-out", ... */
  const char* text; /* one line, without control characters; as long as the call lasts */
} vidconv_message;
/* Hears what was chosen, converted, left out or assumed. Called on any thread, also on several at
 * once. */
typedef void (*vidconv_message_function)(void* user, const vidconv_message* message);
/* NULL: nobody hears. */
VIDCONV_API vidconv_status vidconv_job_on_message(vidconv_job* job,
                                                  vidconv_message_function function, void* user,
                                                  vidconv_error* error);

/* What happened. */
typedef struct vidconv_stats {
  size_t size;
  int64_t decoded, filtered, encoded, written;     /* frames; written: in the output */
  int64_t verified;                                /* frames, by the setting "verify" */
  int64_t bytes;                                   /* of the output */
  int64_t host_bytes, device_bytes;                /* of memory for frames */
  double seconds;                                  /* that it took */
  int64_t damaged_packets, damaged_frames, errors; /* of the input */
  char limiting_stage[32];        /* that has worked longest: "decode", "convolve", "encode", ... */
  char device[128];               /* "CPU, 8 threads" */
  char encoder[256];              /* and how it is set; empty where there is none */
  double psnr, ssim, vmaf, xpsnr; /* by the setting "measure"; NAN where not measured, INFINITY
                                     where nothing differs */
  double crf;                     /* that the setting "target" has found; NAN without it */
} vidconv_stats;

/* Filters the input into the output. Waits until the output is complete and has its name. `stats`
 * may be NULL; it is written however the run ends, with what was done by then.
 *
 * VIDCONV_DAMAGED: the output is there, and frames of it are missing or wrong. VIDCONV_CANCELLED:
 * the output is there with the frames so far; there is none where that was no frame. Any other
 * failure: there is no output, and an older file is as it was.
 *
 * May be run again. Only one thread at a time may run a job. */
VIDCONV_API vidconv_status vidconv_job_run(vidconv_job* job, vidconv_stats* stats,
                                           vidconv_error* error);

/* Ends vidconv_job_run() soon, and vidconv_reader_open() and vidconv_writer_open() with this job,
 * on whatever thread they are, and every later one at once. Readers and writers that are open go
 * on. Any thread, also from callbacks and signal handlers. Takes NULL. Quick. */
VIDCONV_API void vidconv_job_cancel(vidconv_job* job);

/* ---- Frames of a video, in and out ---- */

/* Of a video, what all its frames have in common. */
typedef struct vidconv_video {
  size_t size;
  const char* format;                           /* FFmpeg's name of the pixel format: "yuv420p" */
  int32_t width, height;                        /* pixels, as stored */
  int32_t time_base_num, time_base_den;         /* seconds of a tick of times */
  int32_t frame_rate_num, frame_rate_den;       /* frames a second; 0/1 where unknown */
  int32_t sample_aspect_num, sample_aspect_den; /* 0/1 where unknown */
  const char* range;     /* "tv" (limited) or "pc" (full), as FFmpeg names it; NULL where unknown */
  const char* primaries; /* FFmpeg's name, "bt709"; NULL where unknown */
  const char* transfer;  /* the same */
  const char* matrix;    /* the same */
  int64_t frames; /* as far as it is known before they are read; -1 where not. Not looked at by a
                     writer */
  double seconds; /* the same */
} vidconv_video;

/* The filtered frames of a job's input, one after the other, in order of time. Settings of the
 * output are not looked at, nor is progress told. Without a kernel frames come as they are. */
typedef struct vidconv_reader vidconv_reader;

/* Waits until the input has been opened and the device is awake. Decoding begins at once, on
 * threads of the reader's, and stops when a few frames wait. The job is copied, and its callback
 * for messages has to live as long as the reader. */
VIDCONV_API vidconv_status vidconv_reader_open(const vidconv_job* job, vidconv_reader** reader,
                                               vidconv_error* error);
/* Waits until its threads have ended. Frames stay. */
VIDCONV_API void vidconv_reader_free(vidconv_reader* reader);
/* Texts live as long as the reader. Quick. */
VIDCONV_API vidconv_status vidconv_reader_get_video(const vidconv_reader* reader,
                                                    vidconv_video* video, vidconv_error* error);

/* A filtered frame. Does not change: any number of threads may read it at once. */
typedef struct vidconv_frame vidconv_frame;

/* Waits for the next frame. At the end `*frame` is NULL and the status VIDCONV_OK, or
 * VIDCONV_DAMAGED where frames of the input were missing or wrong, or VIDCONV_CANCELLED, or what
 * failed, as often as it is asked. One thread at a time. */
VIDCONV_API vidconv_status vidconv_reader_next(vidconv_reader* reader, vidconv_frame** frame,
                                               vidconv_error* error);
/* Makes vidconv_reader_next() return soon, on whatever thread that is. Any thread. Takes NULL.
 * Quick. */
VIDCONV_API void vidconv_reader_cancel(vidconv_reader* reader);

/* Gives the memory of its picture back to be used again: who keeps many frames keeps all of theirs.
 * May be after its reader is gone, on any thread. Quick. */
VIDCONV_API void vidconv_frame_free(vidconv_frame* frame);

/* What a frame is. */
typedef struct vidconv_frame_info {
  size_t size;
  int64_t number;          /* from 0 */
  int64_t pts, duration;   /* ticks of the video's time base; duration 0 where unknown */
  int32_t width, height;   /* pixels */
  int32_t interlaced;      /* 1: two fields, of every other row */
  int32_t top_field_first; /* 1: of two fields that with row 0 comes first */
  int32_t planes;          /* 1 to 4; of the others all is 0 */
  const void* data[4];     /* in the host's memory; live as long as the frame */
  ptrdiff_t stride[4];     /* bytes from a row to the next */
  int64_t row_bytes[4];    /* of samples */
  int32_t rows[4];         /* of each plane */
} vidconv_frame_info;

/* Quick. */
VIDCONV_API vidconv_status vidconv_frame_get_info(const vidconv_frame* frame,
                                                  vidconv_frame_info* info, vidconv_error* error);

/* Frames of the caller's, filtered by the job's kernels if it has any, into the job's output. */
typedef struct vidconv_writer vidconv_writer;

/* `video`: what frames will be like; its time base and frame rate must not both be unknown (0).
 * Waits until the output has been opened. The job is copied, and what its callbacks need has to
 * live as long as the writer. */
VIDCONV_API vidconv_status vidconv_writer_open(const vidconv_job* job, const vidconv_video* video,
                                               vidconv_writer** writer, vidconv_error* error);

/* The time of a frame that the frame rate tells. */
#define VIDCONV_NO_TIME INT64_MIN
/* Takes a frame; planes as of vidconv_plan_run(), in the host's memory, copied on return. `pts` in
 * ticks of the video's time base, later than the one before; VIDCONV_NO_TIME: the time that the
 * frame rate gives. Waits while those before it are being filtered and encoded. A failure is that
 * of any frame so far; all later calls return the same. One thread at a time. */
VIDCONV_API vidconv_status vidconv_writer_write(vidconv_writer* writer, size_t planes,
                                                const void* const* data, const ptrdiff_t* strides,
                                                int64_t pts, vidconv_error* error);
/* No more frames: waits until the output is complete and has its name. Once; `stats` as of
 * vidconv_job_run(). */
VIDCONV_API vidconv_status vidconv_writer_finish(vidconv_writer* writer, vidconv_stats* stats,
                                                 vidconv_error* error);
/* Gives the output up: vidconv_writer_write() and vidconv_writer_finish() return VIDCONV_CANCELLED
 * soon, on whatever thread that is, there is no output, and an older file is as it was. Where the
 * output was complete by then it stays, and finishing it is VIDCONV_OK. Any thread, also from
 * callbacks. Takes NULL. Quick. */
VIDCONV_API void vidconv_writer_cancel(vidconv_writer* writer);
/* Where the writer was not finished, there is no output, and an older file is as it was. */
VIDCONV_API void vidconv_writer_free(vidconv_writer* writer);

#ifdef __cplusplus
}
#endif

#endif /* VIDCONV_VIDCONV_H */
