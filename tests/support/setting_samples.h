// Values that each setting takes, and values that it refuses, its bounds among them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv::test {

struct SettingSamples {
  std::vector<std::string> taken, refused;
};

inline const std::map<std::string_view, SettingSamples> setting_samples = {
    {"input", {{"a.mkv"}, {}}},
    {"output", {{"b.mkv"}, {}}},
    {"kernel", {{"box", "gaussian:sigma=2", "matrix:1 2 1"}, {"bax", "gaussian:sigma=-1"}}},
    {"border", {{"reflect101", "ZERO", "constant:0.5"}, {"mirror", "constant:2"}}},
    {"planes", {{"all", "luma", "y,u"}, {"green lawn"}}},
    {"alpha", {{"auto", "weighted", "Separate"}, {"premultiplied"}}},
    {"range", {{"keep", "clamp", "KEEP"}, {"full"}}},
    {"linear", {{"1"}, {}}},
    {"scan", {{"auto", "progressive", "Interlaced"}, {"tff"}}},
    {"compare", {{"split", "side", "flip", "flip:2"}, {"beside", "flip:0"}}},
    {"regions",
     {{"boxes.csv", "boxes.csv:grow=10%,3:hold=0.5s:units=pixels"},
      {":grow=10%", "boxes.csv:grow=10", "boxes.csv:hold", "boxes.csv:feather=1001"}}},
    {"regions_default", {{"1", "fill:black"}, {"0", "1001", "fill:blak", "box:region=0,0,9,9"}}},
    {"raw", {{"64x48:gray"}, {}}},
    {"frame_rate", {{"25", "30000/1001", "29.97"}, {"0", "fast", "-1"}}},
    {"input_format", {{"matroska"}, {}}},
    {"input_options", {{"a=b", "a="}, {"a", "=b"}}},
    {"latency", {{"1", "60000"}, {"0", "60001", "soon"}}},
    {"realtime", {{"1"}, {}}},
    {"start", {{"0", "12.5", "01:02:03"}, {"-1", "later", "1e10"}}},
    {"duration", {{"0.1", "1:00"}, {"0", "-1"}}},
    {"frames", {{"1", "9223372036854775807"}, {"0", "1.5", "9223372036854775808"}}},
    {"video", {{"1", "all", "2147483647"}, {"0", "none", "2147483648"}}},
    {"orientation", {{"auto", "keep", "apply", "0", "90", "180", "270"}, {"45", "left"}}},
    {"copy_times", {{"1"}, {}}},
    {"timeout", {{"0.001", "1000000000"}, {"0", "1000000001", "never"}}},
    {"insecure", {{"1"}, {}}},
    {"max_pixels", {{"1", "9223372036854775807"}, {"0", "-5", "many"}}},
    {"codec", {{"libx264", "FFV1"}, {}}},
    {"crf", {{"0", "23.5", "1000"}, {"-1", "1001", "good"}}},
    {"target", {{"psnr=40", "ssim=0.98", "psnr=100"}, {"psnr", "psnr=101", "loud=3"}}},
    {"preset", {{"fast"}, {}}},
    {"encoder_options", {{"tune=film"}, {"tune"}}},
    {"bitrate", {{"1", "5M", "800k", "2G"}, {"0", "3G", "5 M"}}},
    {"shards", {{"auto", "4", "10s"}, {"0", "ten"}}},
    {"keep_unchanged", {{"1"}, {}}},
    {"pixel_format", {{"yuv420p"}, {}}},
    {"audio", {{"copy", "none", "aac"}, {}}},
    {"muxer_options", {{"movflags=+faststart"}, {"+faststart"}}},
    {"format", {{"matroska", "Y4M"}, {}}},
    {"overwrite", {{"1"}, {}}},
    {"strict", {{"1"}, {}}},
    {"device", {{"auto", "cpu", "CPU", "cuda:all"}, {"gpu", "cuda:-1"}}},
    {"variant", {{"reference", "CPU-Generic"}, {"fastest"}}},
    {"decoder", {{"auto", "cpu"}, {"gpu", "nvdec:0"}}},
    {"threads", {{"1", "4096"}, {"0", "4097", "0x10", "two"}}},
    {"slots", {{"1", "1024"}, {"0", "1025"}}},
    {"jobs", {{"1", "1024"}, {"0", "1025"}}},
    {"measure", {{"psnr", "psnr,ssim", "vmaf:model=a"}, {"psnr,psnr", "loud"}}},
    {"audit", {{"audit.jsonl"}, {}}},
    {"verify", {{"1", "2147483647"}, {"0", "2147483648"}}},
};

}  // namespace vidconv::test
