#pragma once

namespace vidconv::test {

// Makes every request to the current device fail soon, for the rest of this process.
void spoil_device();

}  // namespace vidconv::test
