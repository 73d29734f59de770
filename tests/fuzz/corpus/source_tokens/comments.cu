/* a
*/ __global__ /* ( */ void // \
 x
merge /*