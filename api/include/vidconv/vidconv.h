// vidconv as a library: all of it.
#pragma once

#include <vidconv/pixels.h>
#include <vidconv/version.h>
#include <vidconv/video.h>
