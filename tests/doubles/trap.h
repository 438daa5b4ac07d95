#pragma once

namespace vidconv::test {

// Everything that is asked of the current device fails from soon on, in this process.
void spoil_device();

}  // namespace vidconv::test
