// For bench/measure_replay: one launch for each kind of memory that a kernel can reach. Each kernel changes every
// element of its arguments' memory.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

constexpr int count = 100'000, threads = 256, blocks = (count + threads - 1) / threads;

__constant__ float table[16];
__device__ unsigned long long total;

void need(cudaError_t status, int line)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "capture_memory:%d: %s\n", line, cudaGetErrorString(status));
    std::exit(1);
}
#define NEED(call) need(call, __LINE__)

void need_driver(CUresult status, int line)
{
    if (status == CUDA_SUCCESS) return;
    std::fprintf(stderr, "capture_memory:%d: driver error %d\n", line, static_cast<int>(status));
    std::exit(1);
}
#define NEED_DRIVER(call) need_driver(call, __LINE__)

__device__ int index()
{
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void from_pool(float* x)
{
    if (index() < count) x[index()] = 2 * x[index()] + 1;
}
__global__ void from_managed(float* x)
{
    if (index() < count) x[index()] = 3 * x[index()] + 1;
}
__global__ void from_pitch(float* x, std::size_t pitch_bytes)
{
    float* row = reinterpret_cast<float*>(reinterpret_cast<char*>(x) + blockIdx.x * pitch_bytes);
    if (threadIdx.x < 100) row[threadIdx.x] = 4 * row[threadIdx.x] + 1;
}
__global__ void from_mapped(float* x)
{
    if (index() < count) x[index()] = 5 * x[index()] + 1;
}
__global__ void with_table(float* x)
{
    if (index() < count) x[index()] *= table[index() % 16];
}
__global__ void with_variable(const float* x)
{
    if (index() < count) atomicAdd(&total, static_cast<unsigned long long>(x[index()]));
}
struct node {
    node* next;
    float* values;
};
__global__ void along_a_chain(const node* first)
{
    for (const node* at = first; at != nullptr; at = at->next)
        if (index() < count) at->values[index()] += 7;
}
__global__ void __cluster_dims__(2) in_clusters(float* x)
{
    __shared__ float mine;
    namespace cg = cooperative_groups;
    if (threadIdx.x == 0) mine = static_cast<float>(blockIdx.x);
    cg::this_cluster().sync();
    const float other = *cg::this_cluster().map_shared_rank(&mine, cg::this_cluster().block_rank() ^ 1);
    if (index() < count) x[index()] += other;
    cg::this_cluster().sync();
}
__global__ void all_together(float* x)
{
    for (int i = index(); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) x[i] += 1;
    cooperative_groups::this_grid().sync();
    const float last = x[count - 1];
    cooperative_groups::this_grid().sync();
    for (int i = index(); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) x[i] *= last;
}

// A replay cannot restore these, so these launches are captured with a warning.
__global__ void with_texture(float* x, cudaTextureObject_t texture)
{
    if (index() < count) x[index()] += tex1Dfetch<float>(texture, index());
}
__global__ void with_pinned_inside(node* at)
{
    if (index() < count) at->values[index()] += 7;
    if (index() == 0) at->next = at;
}

void fill(void* to)
{
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    NEED(cudaMemcpy(to, values.data(), count * sizeof(float), cudaMemcpyDefault));
}

float* filled()
{
    float* x = nullptr;
    NEED(cudaMalloc(&x, count * sizeof(float)));
    fill(x);
    return x;
}

cudaTextureObject_t texture_of(float* x)
{
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = x;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = count * sizeof(float);
    const cudaTextureDesc how{};
    cudaTextureObject_t texture = 0;
    NEED(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    return texture;
}

float* mapped()
{
    CUmemAllocationProp kind{};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    std::size_t unit = 0;
    NEED_DRIVER(cuMemGetAllocationGranularity(&unit, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    const std::size_t bytes = (count * sizeof(float) + unit - 1) / unit * unit;
    CUmemGenericAllocationHandle memory{};
    NEED_DRIVER(cuMemCreate(&memory, bytes, &kind, 0));
    CUdeviceptr at = 0;
    NEED_DRIVER(cuMemAddressReserve(&at, bytes, 0, 0, 0));
    NEED_DRIVER(cuMemMap(at, bytes, 0, memory, 0));
    const CUmemAccessDesc access{kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    NEED_DRIVER(cuMemSetAccess(at, bytes, &access, 1));
    fill(reinterpret_cast<void*>(at));
    return reinterpret_cast<float*>(at);
}

}  // namespace

int main()
{
    float* x = filled();
    float* pool = nullptr;
    NEED(cudaMallocAsync(&pool, count * sizeof(float), nullptr));
    NEED(cudaStreamSynchronize(nullptr));
    fill(pool);
    from_pool<<<blocks, threads>>>(pool);

    float* managed = nullptr;
    NEED(cudaMallocManaged(&managed, count * sizeof(float)));
    fill(managed);
    from_managed<<<blocks, threads>>>(managed);

    float* rows = nullptr;
    std::size_t pitch_bytes = 0;
    NEED(cudaMallocPitch(&rows, &pitch_bytes, 100 * sizeof(float), 50));
    NEED(cudaMemset(rows, 1, pitch_bytes * 50));
    from_pitch<<<50, 128>>>(rows, pitch_bytes);

    from_mapped<<<blocks, threads>>>(mapped());

    std::vector<float> factors(16);
    std::iota(factors.begin(), factors.end(), 2.0f);
    NEED(cudaMemcpyToSymbol(table, factors.data(), sizeof(table)));
    with_table<<<blocks, threads>>>(x);
    with_variable<<<blocks, threads>>>(filled());

    node *first = nullptr, *second = nullptr;
    NEED(cudaMalloc(&first, sizeof(node)));
    NEED(cudaMalloc(&second, sizeof(node)));
    const node one{second, filled()}, two{nullptr, filled()};
    NEED(cudaMemcpy(first, &one, sizeof(node), cudaMemcpyDefault));
    NEED(cudaMemcpy(second, &two, sizeof(node), cudaMemcpyDefault));
    along_a_chain<<<blocks, threads>>>(first);

    in_clusters<<<(blocks + 1) / 2 * 2, threads>>>(x);
    void* arguments[] = {&x};
    NEED(
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&all_together), 132, threads, arguments, 0, nullptr));

    with_texture<<<blocks, threads>>>(x, texture_of(filled()));
    node with_pinned{};
    NEED(cudaMallocHost(&with_pinned.values, count * sizeof(float)));
    node* beside = nullptr;
    NEED(cudaMalloc(&beside, sizeof(node)));
    NEED(cudaMemcpy(beside, &with_pinned, sizeof(node), cudaMemcpyDefault));
    with_pinned_inside<<<blocks, threads>>>(beside);
    NEED(cudaGetLastError());
    NEED(cudaDeviceSynchronize());
    return 0;
}
