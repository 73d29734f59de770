)]}{[(__global__ void merge(((
}__global__ merge()[]<<<>>>
#