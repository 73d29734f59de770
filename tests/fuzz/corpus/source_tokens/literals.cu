const char* s = R"x(__global__ void merge()x"; char c = '"'; auto u = u8R"()"_s; "lost
__global__ void merge(int*) {}
