/* Frames of videos in the memory of a CUDA device. */
#ifndef VIDCONV_TESTS_DEVICE_FRAMES_H
#define VIDCONV_TESTS_DEVICE_FRAMES_H

/* Returns how many checks failed. There has to be a device. */
int device_frames(void);

#endif
