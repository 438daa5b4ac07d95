#include "pipeline/io/y4m.h"

namespace vidconv {
namespace {

// Where the location is unknown, the first of several tags for a format is written.
constexpr Y4mChroma chromas[] = {
    {"420jpeg", AV_PIX_FMT_YUV420P, AVCHROMA_LOC_CENTER},
    {"420mpeg2", AV_PIX_FMT_YUV420P, AVCHROMA_LOC_LEFT},
    {"420paldv", AV_PIX_FMT_YUV420P, AVCHROMA_LOC_TOPLEFT},
    {"420", AV_PIX_FMT_YUV420P, AVCHROMA_LOC_CENTER},
    {"420p9", AV_PIX_FMT_YUV420P9, AVCHROMA_LOC_UNSPECIFIED},
    {"420p10", AV_PIX_FMT_YUV420P10, AVCHROMA_LOC_UNSPECIFIED},
    {"420p12", AV_PIX_FMT_YUV420P12, AVCHROMA_LOC_UNSPECIFIED},
    {"420p14", AV_PIX_FMT_YUV420P14, AVCHROMA_LOC_UNSPECIFIED},
    {"420p16", AV_PIX_FMT_YUV420P16, AVCHROMA_LOC_UNSPECIFIED},
    {"422", AV_PIX_FMT_YUV422P, AVCHROMA_LOC_UNSPECIFIED},
    {"422p9", AV_PIX_FMT_YUV422P9, AVCHROMA_LOC_UNSPECIFIED},
    {"422p10", AV_PIX_FMT_YUV422P10, AVCHROMA_LOC_UNSPECIFIED},
    {"422p12", AV_PIX_FMT_YUV422P12, AVCHROMA_LOC_UNSPECIFIED},
    {"422p14", AV_PIX_FMT_YUV422P14, AVCHROMA_LOC_UNSPECIFIED},
    {"422p16", AV_PIX_FMT_YUV422P16, AVCHROMA_LOC_UNSPECIFIED},
    {"444", AV_PIX_FMT_YUV444P, AVCHROMA_LOC_UNSPECIFIED},
    {"444p9", AV_PIX_FMT_YUV444P9, AVCHROMA_LOC_UNSPECIFIED},
    {"444p10", AV_PIX_FMT_YUV444P10, AVCHROMA_LOC_UNSPECIFIED},
    {"444p12", AV_PIX_FMT_YUV444P12, AVCHROMA_LOC_UNSPECIFIED},
    {"444p14", AV_PIX_FMT_YUV444P14, AVCHROMA_LOC_UNSPECIFIED},
    {"444p16", AV_PIX_FMT_YUV444P16, AVCHROMA_LOC_UNSPECIFIED},
    {"444alpha", AV_PIX_FMT_YUVA444P, AVCHROMA_LOC_UNSPECIFIED},
    {"411", AV_PIX_FMT_YUV411P, AVCHROMA_LOC_UNSPECIFIED},
    {"mono", AV_PIX_FMT_GRAY8, AVCHROMA_LOC_UNSPECIFIED},
    {"mono9", AV_PIX_FMT_GRAY9, AVCHROMA_LOC_UNSPECIFIED},
    {"mono10", AV_PIX_FMT_GRAY10, AVCHROMA_LOC_UNSPECIFIED},
    {"mono12", AV_PIX_FMT_GRAY12, AVCHROMA_LOC_UNSPECIFIED},
    {"mono16", AV_PIX_FMT_GRAY16, AVCHROMA_LOC_UNSPECIFIED},
};

}  // namespace

const Y4mChroma* find_y4m_chroma(std::string_view tag) {
  for (const Y4mChroma& row : chromas)
    if (row.tag == tag) return &row;
  return nullptr;
}

const Y4mChroma* find_y4m_chroma(AVPixelFormat format, AVChromaLocation location) {
  const Y4mChroma* first = nullptr;
  for (const Y4mChroma& row : chromas) {
    if (row.format != format) continue;
    if (row.location == location) return &row;
    if (!first) first = &row;
  }
  return first;
}

AVFieldOrder y4m_field_order(std::string_view letter) {
  return letter == "p"   ? AV_FIELD_PROGRESSIVE
         : letter == "t" ? AV_FIELD_TT
         : letter == "b" ? AV_FIELD_BB
                         : AV_FIELD_UNKNOWN;
}

char y4m_interlacing(AVFieldOrder order) {
  switch (order) {
    case AV_FIELD_TT:
    case AV_FIELD_TB:
      return 't';
    case AV_FIELD_BB:
    case AV_FIELD_BT:
      return 'b';
    default:
      return 'p';
  }
}

}  // namespace vidconv
