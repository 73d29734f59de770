__device__ float external(float* data)
{
    float values[60];
    for (int i = 0; i < 60; ++i) values[i] = data[i];
    for (int round = 0; round < 9; ++round)
        for (int i = 0; i < 60; ++i) values[i] = values[i] * values[(i + 7) % 60] + values[(i + 9) % 60];
    float sum = 0;
    for (int i = 0; i < 60; ++i) sum += values[i] * data[i + 9];
    return sum;
}
