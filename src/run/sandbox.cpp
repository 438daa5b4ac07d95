#include "src/run/sandbox.h"

#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "pipeline/av/container.h"
#include "pipeline/av/devices.h"
#include "pipeline/base/url.h"
#include "pipeline/io/policy/references.h"
#include "src/options/job_settings.h"
#include "src/process/landlock.h"
#include "src/process/system_calls.h"

namespace vidconv {
namespace {

// Libraries read these sooner or later: other libraries, tables, the machine's description.
constexpr const char* system_files[] = {
    "/usr",        "/lib",         "/lib32",   "/lib64",           "/opt",
    "/nix/store",  "/gnu/store",   "/sys",     "/etc/ld.so.cache", "/etc/localtime",
    "/dev/random", "/dev/urandom", "/dev/zero"};

// These files of /proc describe this process and the machine, not other processes.
constexpr const char* process_files[] = {
    "/proc/self",   "/proc/cpuinfo", "/proc/meminfo",    "/proc/stat",    "/proc/sys",
    "/proc/uptime", "/proc/loadavg", "/proc/version",    "/proc/devices", "/proc/modules",
    "/proc/driver", "/proc/cgroups", "/proc/filesystems"};

// Name resolution and TLS read these.
constexpr const char* network_files[] = {
    "/etc/resolv.conf",        "/etc/hosts",           "/etc/host.conf",
    "/etc/nsswitch.conf",      "/etc/gai.conf",        "/etc/services",
    "/etc/protocols",          "/run/systemd/resolve", "/etc/ssl/openssl.cnf",
    "/etc/ssl/certs",          "/etc/ssl/cert.pem",    "/etc/pki/tls/openssl.cnf",
    "/etc/pki/tls/certs",      "/etc/pki/ca-trust",    "/etc/pkcs11",
    "/etc/ca-certificates",    "/etc/gnutls",          "/etc/crypto-policies",
    "/var/lib/ca-certificates"};

// These schemes read nothing else; sftp and smb read whatever their libraries want.
constexpr std::string_view network_schemes[] = {"http",  "https", "ftp",  "tcp",  "tls",   "udp",
                                                "rtp",   "rtsp",  "srt",  "rtmp", "rtmps", "rtmpt",
                                                "rtmpe", "mms",   "mmsh", "mmst"};

// Drivers of chips write to these, besides the devices.
constexpr const char* driver_files[] = {"/dev", "/proc/self", "/tmp/nvidia-mps",
                                        "/var/log/nvidia-mps"};
constexpr const char* driver_folders[] = {"CUDA_CACHE_PATH", "CUDA_MPS_PIPE_DIRECTORY",
                                          "CUDA_MPS_LOG_DIRECTORY"};

bool exists(const char* path) { return access(path, F_OK) == 0; }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool asks_for_cuda(const Options& o) { return o.device.kind != DeviceRequest::Kind::cpu; }

bool has_cuda_device() {
  constexpr const char* signs[] = {"/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg",
                                   "/dev/nvmap"};
  return std::ranges::any_of(signs, exists);
}

// Once after boot, the driver runs a program of its own, with more rights than ours, to load its
// module and make its devices.
bool driver_is_to_be_loaded(const Options& o) {
  return (asks_for_cuda(o) || encodes_on_chip(o)) && exists("/usr/bin/nvidia-modprobe") &&
         !(exists("/dev/nvidiactl") && exists("/dev/nvidia-uvm"));
}

// Returns the folder of a path; for a numbered name the innermost folder without a number.
std::string folder_of(const std::filesystem::path& path) {
  std::filesystem::path folder = path.parent_path();
  while (folder.native().find('%') != std::string::npos) folder = folder.parent_path();
  return folder.empty() ? "." : folder.string();
}

void allow_libraries(const Landlock& rules) {
  for (const char* path : system_files) rules.allow_reading(path);
  for (const char* path : process_files) rules.allow_reading(path);
  rules.allow_writing("/dev/null");
  // Libraries load further ones from the folders that they came from.
  const auto each = [](dl_phdr_info* library, std::size_t, void* to) {
    if (std::strchr(library->dlpi_name, '/'))
      static_cast<const Landlock*>(to)->allow_reading(folder_of(library->dlpi_name));
    return 0;
  };
  dl_iterate_phdr(each, const_cast<Landlock*>(&rules));
  std::string folders = environment("LD_LIBRARY_PATH");
  for (std::size_t at = 0; at < folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    rules.allow_reading(folders.substr(at, end - at));
    at = end + 1;
  }
}

void allow_chips(const Landlock& rules) {
  const std::string home = environment("HOME");
  if (!home.empty()) {
    mkdir((home + "/.nv").c_str(), 0700);  // CUDA would make it at its first use, for its cache
    rules.allow_writing(home + "/.nv");
  }
  for (const char* path : driver_files) rules.allow_writing(path);
  for (const char* name : driver_folders) rules.allow_writing(environment(name));
  rules.allow_reading("/run/nvidia-persistenced");
  rules.allow_reading("/etc/nvidia");
}

// Numbered pictures are often links to files elsewhere.
void allow_links(const Landlock& rules, const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_symlink(error)) rules.allow_reading(entry.path());
}

void allow_network(const Landlock& rules) {
  for (const char* path : network_files) rules.allow_reading(path);
  for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) rules.allow_reading(environment(name));
}

// Permits a camera, or another device that FFmpeg knows: an X server wants to see a cookie.
void allow_device(const Landlock& rules, const std::string& input) {
  if (input.starts_with("v4l2:")) return rules.allow_writing(input.substr(5));
  rules.allow_writing("/dev");
  rules.allow_reading(environment("XAUTHORITY"));
  rules.allow_reading(environment("HOME") + "/.Xauthority");
}

void allow_input(const Landlock& rules, const std::string& input, const std::string& format) {
  if (is_device(input, format)) return allow_device(rules, input);
  if (!is_url(input)) {
    const std::string path = local_path(input);
    rules.allow_reading(path);
    if (is_numbered(path)) allow_links(rules, folder_of(path));
    if (is_numbered(path) || is_playlist(path, format)) rules.allow_reading(folder_of(path));
    return;
  }
  if (std::ranges::find(network_schemes, scheme_of(input)) == std::end(network_schemes))
    rules.allow_reading("/");
  allow_network(rules);
}

// Permits writing or replacing a file in its folder and, for a link, in the target's folder.
void allow_output(const Landlock& rules, const std::string& output) {
  std::filesystem::path path = local_path(output);
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return rules.allow_writing(path);
  for (int links = 0; links < 8; ++links) {
    rules.allow_writing(folder_of(path));
    std::error_code error;
    const std::filesystem::path to = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / to;
  }
  std::error_code error;
  const auto resolved = std::filesystem::canonical(local_path(output), error);
  if (!error) rules.allow_writing(folder_of(resolved));
}

// Encoders' options may name files, such as a first pass's statistics.
void allow_named(const Landlock& rules, const std::string& words) {
  rules.allow_writing(".");
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find_first_of(":=,", at), words.size());
    const std::string word = words.substr(at, end - at);
    if (word.find('/') != word.npos) rules.allow_writing(folder_of(word));
    at = end + 1;
  }
}

bool is_file(const std::string& output) {
  return !output.empty() && output != "-" && output != "null:" && output != "md5:";
}

std::string reason() {
  switch (errno) {
    case ENOSYS:
      return "the kernel has no Landlock";
    case EOPNOTSUPP:
      return "Landlock is not enabled in this kernel";
    default:
      return std::strerror(errno);
  }
}

// A run needs these besides files.
struct Needs {
  bool chips, network, device;
};

Needs needs_of(const Options& o, const std::vector<BatchFile>& files) {
  return {.chips = encodes_on_chip(o) || (asks_for_cuda(o) && has_cuda_device()),
          // A session's description is a file that names addresses.
          .network = o.source.format == "sdp" || std::ranges::any_of(files,
                                                                     [](const BatchFile& file) {
                                                                       return is_url(file.input) ||
                                                                              is_url(file.output);
                                                                     }),
          .device = is_device(o.input, o.source.format)};
}

// Returns whether a file may be replaced: the new one gets its mode and owner.
bool replaces(const Options& o, const std::vector<std::string>& folders,
              const std::vector<BatchFile>& files) {
  const auto is_there = [](const std::string& name) {
    return is_file(name) && exists(local_path(name).c_str());
  };
  return o.sink.overwrite || !folders.empty() ||
         std::ranges::any_of(files,
                             [&](const BatchFile& file) {
                               return is_there(file.stats) || is_there(file.trace) ||
                                      is_there(file.metrics);
                             }) ||
         is_there(o.measure_log) || is_there(o.report_file) || is_there(o.audit_file);
}

void enter_landlock(const Options& o, const std::vector<std::string>& folders,
                    const std::vector<BatchFile>& files, const Needs& needs, Sandbox& sandbox) {
  // Drivers and device servers are reached through sockets.
  const Refusals refused{
      .network = !needs.network, .sockets = !needs.chips && !needs.device, .signals = true};
  const Landlock rules(refused);
  allow_libraries(rules);
  if (needs.chips) allow_chips(rules);
  for (const std::string& folder : folders)
    if (!folder.empty()) rules.allow_writing(folder);
  for (const BatchFile& names : files) {
    allow_input(rules, names.input, o.source.format);
    if (is_url(names.output)) allow_network(rules);
    for (const std::string& file : {names.output, names.stats, names.trace, names.metrics})
      if (is_file(file) && !is_url(file)) allow_output(rules, file);
  }
  for (const FilterSpec& filter : o.filters)  // a mask video is read while frames come
    if (const std::string& mask = filter.place().mask_video(); !mask.empty())
      rules.allow_reading(mask);
  for (const std::string& file : {o.measure_log, o.report_file})
    if (is_file(file)) allow_output(rules, file);
  if (is_file(o.audit_file)) allow_output(rules, o.audit_file);
  // A named pipe is opened again there, so that its reader does not block us.
  rules.allow_writing("/proc/self/fd/1");
  for (const auto& [key, value] : o.sink.encoder.own) allow_named(rules, value);
  if (!rules.enforce()) {
    sandbox.why_not = reason();
    return;
  }
  const auto add = [&](bool in_force, const char* what) {
    if (in_force) sandbox.in_force.emplace_back(what);
  };
  add(true, "files");
  add(sandbox.abi >= 3, "truncation");
  add(refused.network && sandbox.abi >= 4, "network");
  add(refused.sockets && sandbox.abi >= 6, "sockets");
  add(refused.signals && sandbox.abi >= 6, "signals");
}

}  // namespace

bool encodes_on_chip(const Options& o) {
  const AVCodec* encoder = avcodec_find_encoder_by_name(o.sink.encoder.codec.c_str());
  return encoder && (encoder->capabilities & (AV_CODEC_CAP_HARDWARE | AV_CODEC_CAP_HYBRID));
}

Sandbox enter_sandbox(const Options& o, const std::vector<std::string>& folders,
                      const std::vector<BatchFile>& several) {
  const std::vector<BatchFile> one{{o.input, o.output, o.stats_file, o.trace_file, o.metrics_file}};
  const std::vector<BatchFile>& files = several.empty() ? one : several;
  Sandbox sandbox{.abi = landlock_abi(), .in_force = {}, .why_not = {}};
  if (sandbox.abi == 0) sandbox.why_not = reason();
  const Needs needs = needs_of(o, files);
  if (o.no_sandbox) sandbox.why_not = "--no-sandbox";
  if (driver_is_to_be_loaded(o)) sandbox.why_not = "the driver of the GPU has to be loaded first";
  const bool gives_up = !o.no_sandbox && !driver_is_to_be_loaded(o);
  if (gives_up && sandbox.abi > 0) enter_landlock(o, folders, files, needs, sandbox);
  const SystemCalls calls{.network = needs.network,
                          .local = needs.chips || needs.device,
                          .modes = replaces(o, folders, files),
                          .attributes = !several.empty()};
  if (gives_up && refuse_system_calls(calls)) sandbox.in_force.emplace_back("system_calls");
  return sandbox;
}

}  // namespace vidconv
