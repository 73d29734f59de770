__global__ void bad_assembly(int* out)
{
    asm volatile("no.such.instruction;");
    out[0] = 1;
}
