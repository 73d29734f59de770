__global__ void broken(int* out)
{
    out[0] = undefined_name
}
