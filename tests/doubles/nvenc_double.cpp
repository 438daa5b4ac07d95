#include "tests/doubles/nvenc_double.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/doubles/nvenc_session.h"

namespace vidconv::test {
namespace {

NvencDouble the_double;

Session& session_of(void* encoder) { return *static_cast<Session*>(encoder); }

template <class T>
bool drop(std::vector<std::unique_ptr<T>>& all, const void* one) {
  return std::erase_if(all, [&](const auto& owned) { return owned.get() == one; }) == 1;
}

// Calls `act`, unless it is this call's turn to fail.
template <class F>
NVENCSTATUS call(F&& act) {
  ++the_double.calls;
  if (the_double.calls_to_failure >= 0 && the_double.calls_to_failure-- == 0)
    return static_cast<NVENCSTATUS>(the_double.failure.load());
  return act();
}

NVENCSTATUS open_session(NV_ENC_OPEN_ENCODE_SESSION_EX_PARAMS* p, void** encoder) {
  return call([&] {
    if (p->version != NV_ENC_OPEN_ENCODE_SESSION_EX_PARAMS_VER) return NV_ENC_ERR_INVALID_VERSION;
    auto session = std::make_unique<Session>();
    session->context = static_cast<CUcontext>(p->device);
    *encoder = session.release();
    ++the_double.sessions;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS destroy(void* encoder) {
  const std::unique_ptr<Session> session(static_cast<Session*>(encoder));
  --the_double.sessions;
  return NV_ENC_SUCCESS;
}

NVENCSTATUS count_codecs(void*, std::uint32_t* count) {
  return call([&] {
    *count = 1;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS list_codecs(void*, GUID* guids, std::uint32_t, std::uint32_t* count) {
  return call([&] {
    guids[0] = NV_ENC_CODEC_H264_GUID;
    *count = 1;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS ask_capability(void*, GUID, NV_ENC_CAPS_PARAM* p, int* value) {
  return call([&] {
    switch (p->capsToQuery) {
      case NV_ENC_CAPS_WIDTH_MAX:
      case NV_ENC_CAPS_HEIGHT_MAX:
        *value = 4096;
        break;
      case NV_ENC_CAPS_NUM_MAX_BFRAMES:
        *value = 4;
        break;
      case NV_ENC_CAPS_SUPPORT_10BIT_ENCODE:
        *value = the_double.ten_bits;
        break;
      case NV_ENC_CAPS_SUPPORT_FIELD_ENCODING:
        *value = 0;
        break;
      default:
        *value = 1;
    }
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS preset(void*, GUID, GUID, NV_ENC_TUNING_INFO, NV_ENC_PRESET_CONFIG* config) {
  return call([&] {
    config->presetCfg.gopLength = 250;
    config->presetCfg.frameIntervalP = 1 + the_double.b_frames;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS initialize(void* encoder, NV_ENC_INITIALIZE_PARAMS* p) {
  return call([&] {
    Session& session = session_of(encoder);
    const NV_ENC_CONFIG& config = *p->encodeConfig;
    const auto& h264 = config.encodeCodecConfig.h264Config;
    session.distance = config.frameIntervalP;
    session.headers_in_stream = !h264.disableSPSPPS;
    the_double.rate_control = config.rcParams.rateControlMode;
    the_double.quality = config.rcParams.targetQuality;
    PcmVideo& video = session.video;
    video.width = static_cast<int>(p->encodeWidth);
    video.height = static_cast<int>(p->encodeHeight);
    video.full_chroma = h264.chromaFormatIDC == 3;
    video.reorder = session.distance > 1;
    const auto& vui = h264.h264VUIParameters;
    video.full_range = vui.videoFullRangeFlag;
    video.primaries = static_cast<int>(vui.colourPrimaries);
    video.transfer = static_cast<int>(vui.transferCharacteristics);
    video.matrix = static_cast<int>(vui.colourMatrix);
    const bool odd = video.width % 2 != 0 || video.height % 2 != 0;
    return odd && !video.full_chroma ? NV_ENC_ERR_INVALID_PARAM : NV_ENC_SUCCESS;
  });
}

NVENCSTATUS set_streams(void* encoder, NV_ENC_CUSTREAM_PTR input, NV_ENC_CUSTREAM_PTR) {
  return call([&] {
    session_of(encoder).stream = *static_cast<CUstream*>(input);
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS headers(void* encoder, NV_ENC_SEQUENCE_PARAM_PAYLOAD* p) {
  return call([&] {
    const std::string bytes = pcm_headers(session_of(encoder).video);
    std::ranges::copy(bytes, static_cast<char*>(p->spsppsBuffer));
    *p->outSPSPPSPayloadSize = static_cast<std::uint32_t>(bytes.size());
    return NV_ENC_SUCCESS;
  });
}

Input& add_input(Session& session, NV_ENC_BUFFER_FORMAT format) {
  session.inputs.push_back(std::make_unique<Input>());
  session.inputs.back()->format = format;
  return *session.inputs.back();
}

NVENCSTATUS create_input(void* encoder, NV_ENC_CREATE_INPUT_BUFFER* p) {
  return call([&] {
    Input& input = add_input(session_of(encoder), p->bufferFmt);
    input.width = static_cast<int>(p->width);
    input.height = static_cast<int>(p->height);
    input.pitch = (input.row_bytes() + 63) / 64 * 64;
    input.host.resize(input.pitch * static_cast<std::size_t>(input.rows()));
    session_of(encoder).video.depth = input.wide() ? 10 : 8;
    p->inputBuffer = &input;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS destroy_input(void* encoder, NV_ENC_INPUT_PTR input) {
  return drop(session_of(encoder).inputs, input) ? NV_ENC_SUCCESS : NV_ENC_ERR_INVALID_PARAM;
}

NVENCSTATUS lock_input(void*, NV_ENC_LOCK_INPUT_BUFFER* p) {
  return call([&] {
    Input& input = *static_cast<Input*>(p->inputBuffer);
    p->bufferDataPtr = input.host.data();
    p->pitch = static_cast<std::uint32_t>(input.pitch);
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS unlock_input(void*, NV_ENC_INPUT_PTR) {
  return call([] { return NV_ENC_SUCCESS; });
}

NVENCSTATUS register_resource(void* encoder, NV_ENC_REGISTER_RESOURCE* p) {
  return call([&] {
    Input& input = add_input(session_of(encoder), p->bufferFormat);
    input.on_device = true;
    input.device = reinterpret_cast<CUdeviceptr>(p->resourceToRegister);
    input.pitch = p->pitch;
    input.width = static_cast<int>(p->width);
    input.height = static_cast<int>(p->height);
    p->registeredResource = &input;
    ++the_double.registrations;
    the_double.most_surfaces = std::max<int>(the_double.most_surfaces, ++the_double.surfaces);
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS unregister_resource(void* encoder, NV_ENC_REGISTERED_PTR resource) {
  if (!drop(session_of(encoder).inputs, resource)) return NV_ENC_ERR_RESOURCE_NOT_REGISTERED;
  --the_double.surfaces;
  return NV_ENC_SUCCESS;
}

NVENCSTATUS map_resource(void*, NV_ENC_MAP_INPUT_RESOURCE* p) {
  return call([&] {
    Input& input = *static_cast<Input*>(p->registeredResource);
    if (input.mapped++ != 0) return NV_ENC_ERR_MAP_FAILED;
    p->mappedResource = &input;
    p->mappedBufferFmt = input.format;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS unmap_resource(void*, NV_ENC_INPUT_PTR resource) {
  return call([&] {
    Input& input = *static_cast<Input*>(resource);
    return --input.mapped == 0 ? NV_ENC_SUCCESS : NV_ENC_ERR_RESOURCE_NOT_MAPPED;
  });
}

NVENCSTATUS create_bitstream(void* encoder, NV_ENC_CREATE_BITSTREAM_BUFFER* p) {
  return call([&] {
    session_of(encoder).bitstreams.push_back(std::make_unique<Bitstream>());
    p->bitstreamBuffer = session_of(encoder).bitstreams.back().get();
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS destroy_bitstream(void* encoder, NV_ENC_OUTPUT_PTR bitstream) {
  return drop(session_of(encoder).bitstreams, bitstream) ? NV_ENC_SUCCESS
                                                         : NV_ENC_ERR_INVALID_PARAM;
}

NVENCSTATUS encode(void* encoder, NV_ENC_PIC_PARAMS* p) {
  return call([&] {
    Session& session = session_of(encoder);
    if (p->encodePicFlags & NV_ENC_PIC_FLAG_EOS) {
      close_group(session);
      return NV_ENC_SUCCESS;
    }
    Input& input = *static_cast<Input*>(p->inputBuffer);
    if (input.on_device && input.mapped == 0) return NV_ENC_ERR_RESOURCE_NOT_MAPPED;
    const int shown_at = session.shown++;
    session.waiting.pictures.push_back({&input, p->inputTimeStamp, shown_at, {}});
    session.waiting.outputs.push_back(static_cast<Bitstream*>(p->outputBitstream));
    session.video.depth = input.wide() ? 10 : 8;
    // An IDR picture is a group alone; later ones wait for the picture that they are shown before.
    if (shown_at % session.distance != 0) return NV_ENC_ERR_NEED_MORE_INPUT;
    close_group(session);
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS lock_bitstream(void* encoder, NV_ENC_LOCK_BITSTREAM* p) {
  return call([&] {
    Session& session = session_of(encoder);
    Bitstream& bitstream = *static_cast<Bitstream*>(p->outputBitstream);
    while (bitstream.bytes.empty() && !session.groups.empty())
      if (!code_group(session)) return NV_ENC_ERR_GENERIC;
    if (bitstream.bytes.empty()) return NV_ENC_ERR_LOCK_BUSY;
    p->bitstreamBufferPtr = bitstream.bytes.data();
    p->bitstreamSizeInBytes = static_cast<std::uint32_t>(bitstream.bytes.size());
    p->outputTimeStamp = bitstream.time;
    p->pictureType = bitstream.type;
    p->frameAvgQP = 1;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS unlock_bitstream(void*, NV_ENC_OUTPUT_PTR bitstream) {
  return call([&] {
    static_cast<Bitstream*>(bitstream)->bytes.clear();
    return NV_ENC_SUCCESS;
  });
}

const char* last_error(void*) { return "as the test asked"; }

}  // namespace
}  // namespace vidconv::test

extern "C" {

vidconv::test::NvencDouble* nvenc_double() { return &vidconv::test::the_double; }

NVENCSTATUS NvEncodeAPIGetMaxSupportedVersion(std::uint32_t* version) {
  return vidconv::test::call([&] {
    *version = NVENCAPI_MAJOR_VERSION << 4 | NVENCAPI_MINOR_VERSION;
    return NV_ENC_SUCCESS;
  });
}

NVENCSTATUS NvEncodeAPICreateInstance(NV_ENCODE_API_FUNCTION_LIST* f) {
  return vidconv::test::call([&] {
    using namespace vidconv::test;
    f->nvEncOpenEncodeSessionEx = open_session;
    f->nvEncDestroyEncoder = destroy;
    f->nvEncGetEncodeGUIDCount = count_codecs;
    f->nvEncGetEncodeGUIDs = list_codecs;
    f->nvEncGetEncodeCaps = ask_capability;
    f->nvEncGetEncodePresetConfigEx = preset;
    f->nvEncInitializeEncoder = initialize;
    f->nvEncSetIOCudaStreams = set_streams;
    f->nvEncGetSequenceParams = headers;
    f->nvEncCreateInputBuffer = create_input;
    f->nvEncDestroyInputBuffer = destroy_input;
    f->nvEncLockInputBuffer = lock_input;
    f->nvEncUnlockInputBuffer = unlock_input;
    f->nvEncRegisterResource = register_resource;
    f->nvEncUnregisterResource = unregister_resource;
    f->nvEncMapInputResource = map_resource;
    f->nvEncUnmapInputResource = unmap_resource;
    f->nvEncCreateBitstreamBuffer = create_bitstream;
    f->nvEncDestroyBitstreamBuffer = destroy_bitstream;
    f->nvEncEncodePicture = encode;
    f->nvEncLockBitstream = lock_bitstream;
    f->nvEncUnlockBitstream = unlock_bitstream;
    f->nvEncGetLastErrorString = last_error;
    return NV_ENC_SUCCESS;
  });
}
}
