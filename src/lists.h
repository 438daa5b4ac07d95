// --list-kernels, --list-formats, --list-variants, --list-devices: tables on stdout.
#pragma once

namespace vidconv {

void list_kernels();
void list_kernels_as_json();
void list_formats();
void list_variants();
void list_devices();

}  // namespace vidconv
