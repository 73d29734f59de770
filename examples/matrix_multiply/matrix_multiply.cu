// c = a * b for square matrices of floats, row by row in memory; n is a multiple of both tile sizes. Each block
// computes a tile of c from strips of a and b in shared memory, each thread some elements of the tile.
//
// tune (matrix_multiply.toml) chooses the tiles, how many elements a thread computes, how wide it loads, and which
// elements a thread has: `blocked` ones are adjacent, `strided` ones are as far apart as there are threads.
enum class layout { blocked, strided };

template <int width>
struct alignas(4 * width) floats {
    float values[width];
};

template <int tile_m, int tile_n, int tile_k, int thread_m, int thread_n, int width, layout own, int min_blocks>
__global__ void __launch_bounds__(tile_m / thread_m * (tile_n / thread_n), min_blocks)
    matrix_multiply(const float* a, const float* b, float* c, int n)
{
    constexpr int threads_m = tile_m / thread_m, threads_n = tile_n / thread_n, threads = threads_m * threads_n;
    // The strip of a is stored transposed, so that a thread's elements of both strips lie in rows.
    __shared__ alignas(16) float strip_a[tile_k][tile_m + 4];
    __shared__ alignas(16) float strip_b[tile_k][tile_n];
    const int thread = static_cast<int>(threadIdx.x);
    const int my_m = thread / threads_n, my_n = thread % threads_n;
    const float* first_a = a + static_cast<long long>(blockIdx.y) * tile_m * n;
    const float* first_b = b + static_cast<long long>(blockIdx.x) * tile_n;

    const auto place_m = [&](int i) { return own == layout::blocked ? my_m * thread_m + i : my_m + i * threads_m; };
    const auto place_n = [&](int j) { return own == layout::blocked ? my_n * thread_n + j : my_n + j * threads_n; };

    float sums[thread_m][thread_n] = {};
    for (int begin = 0; begin < n; begin += tile_k) {
        for (int at = thread * width; at < tile_m * tile_k; at += threads * width) {
            const int row = at / tile_k, k = at % tile_k;
            const auto read =
                *reinterpret_cast<const floats<width>*>(first_a + static_cast<long long>(row) * n + begin + k);
            for (int i = 0; i < width; ++i) strip_a[k + i][row] = read.values[i];
        }
        for (int at = thread * width; at < tile_k * tile_n; at += threads * width) {
            const int k = at / tile_n, column = at % tile_n;
            *reinterpret_cast<floats<width>*>(&strip_b[k][column]) =
                *reinterpret_cast<const floats<width>*>(first_b + static_cast<long long>(begin + k) * n + column);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile_k; ++k) {
            float of_a[thread_m], of_b[thread_n];
            for (int i = 0; i < thread_m; ++i) of_a[i] = strip_a[k][place_m(i)];
            for (int j = 0; j < thread_n; ++j) of_b[j] = strip_b[k][place_n(j)];
            for (int i = 0; i < thread_m; ++i)
                for (int j = 0; j < thread_n; ++j) sums[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
    }
    float* first_c = c + static_cast<long long>(blockIdx.y) * tile_m * n + static_cast<long long>(blockIdx.x) * tile_n;
    for (int i = 0; i < thread_m; ++i)
        for (int j = 0; j < thread_n; ++j) first_c[static_cast<long long>(place_m(i)) * n + place_n(j)] = sums[i][j];
}
