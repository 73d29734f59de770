// Launch bounds of merge by architecture, written by launchbox bounds --apply
#if 1
#define B __maxnreg__(32)
#endif
__global__ void B merge(int*) {}
