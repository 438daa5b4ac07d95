// --list-kernels, --list-formats, --list-devices: tables on stdout.
#pragma once

namespace vidconv {

void list_kernels();
void list_formats();
void list_devices();

}  // namespace vidconv
