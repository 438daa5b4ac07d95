// Tests the way from the user's words to a device and a decoder.
#include "pipeline/decode/decoder_request.h"

#include <gtest/gtest.h>

#include <string>

#include "pipeline/base/error.h"
#include "pipeline/device/device_choice.h"

namespace vidconv {
namespace {

template <class Act>
std::string refusal(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.message();
  }
  return "";
}

TEST(DeviceRequest, IsWhatWasWritten) {
  using Kind = DeviceRequest::Kind;
  EXPECT_EQ(parse_device("auto").kind, Kind::automatic);
  EXPECT_EQ(parse_device("cpu").kind, Kind::cpu);
  EXPECT_EQ(parse_device("cuda").kind, Kind::cuda);
  EXPECT_EQ(parse_device("cuda").indices, std::vector{0});
  EXPECT_EQ(parse_device("cuda:12").kind, Kind::cuda);
  EXPECT_EQ(parse_device("cuda:12").indices, std::vector{12});
  EXPECT_EQ(parse_device("cuda:2,0,2").indices, (std::vector{2, 0, 2}));
  EXPECT_FALSE(parse_device("cuda:2,0").all);
  EXPECT_TRUE(parse_device("cuda:all").all);
  EXPECT_EQ(parse_device("cuda:12").text, "cuda:12");
}

TEST(DeviceRequest, OfTheCpuSaysWhyWhereNobodyWroteIt) {
  EXPECT_EQ(choose_device(parse_device("cpu")).why, "");
  const DeviceChoice choice =
      choose_device({.kind = DeviceRequest::Kind::cpu, .why = "nothing is computed"});
  EXPECT_EQ(choice.device, Device::cpu);
  EXPECT_EQ(choice.why, "nothing is computed");
}

TEST(DeviceRequest, RefusesOtherTextByName) {
  for (const std::string text : {"", "gpu", "cuda:", "cuda:-1", "cuda:0x1", "cuda:99999999999",
                                 "cuda:0,x", "cuda:0,", "cuda:,0", "cuda:0,,1", "cuda:all,0"}) {
    const std::string line = refusal([&] { parse_device(text); });
    EXPECT_NE(line.find("`device`"), line.npos) << text;
    EXPECT_NE(line.find("use auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all"), line.npos) << text;
  }
  EXPECT_NE(refusal([] { parse_device("cdua"); }).find("cuda"), std::string::npos);
}

TEST(DecoderRequest, IsWhatWasWritten) {
  using Kind = DecoderRequest::Kind;
  EXPECT_EQ(parse_decoder("auto").kind, Kind::automatic);
  EXPECT_EQ(parse_decoder("cpu").kind, Kind::cpu);
  EXPECT_EQ(parse_decoder("nvdec").kind, Kind::nvdec);
  EXPECT_FALSE(parse_decoder("nvdec").sessions);
  EXPECT_EQ(parse_decoder("nvdec:64").sessions, 64);
  for (const std::string text : {"", "nvdec:", "nvdec:0", "nvdec:65", "nvdec:2x", "gpu"})
    EXPECT_NE(refusal([&] { parse_decoder(text); }).find("`decoder`"), std::string::npos) << text;
}

TEST(DecoderRequest, NvdecWantsItsFramesOnTheDevice) {
  const DecoderRequest nvdec = parse_decoder("nvdec:3");
  const DeviceChoice cuda{.device = Device::cuda, .indices = {2, 1, 2}}, cpu{},
      none_found{.ours = true, .why = "no driver"};
  const auto chosen = choose_decoder(nvdec, cuda, false, {});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->devices, (std::vector{2, 1}));  // each device once
  EXPECT_EQ(chosen->sessions, 3);
  EXPECT_FALSE(choose_decoder(parse_decoder("auto"), cuda, false, {}));
  EXPECT_FALSE(choose_decoder(parse_decoder("cpu"), cuda, true, {}));

  EXPECT_NE(refusal([&] { choose_decoder(nvdec, cpu, false, {}); }).find("CPU convolves"),
            std::string::npos);
  EXPECT_NE(refusal([&] { choose_decoder(nvdec, cuda, true, {}); }).find("`verify`"),
            std::string::npos);
  int lines = 0;
  const Notify count = [&](MessageKind kind, const std::string&) {
    EXPECT_EQ(kind, MessageKind::fallback);
    ++lines;
  };
  EXPECT_FALSE(choose_decoder(nvdec, none_found, false, count));
  EXPECT_EQ(lines, 1);
}

}  // namespace
}  // namespace vidconv
