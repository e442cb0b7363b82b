// Functions that CUDA has and the C library does not, for kernels to call.
#pragma once

namespace softgpu {

double erfinv(double);
double erfcinv(double);
double normcdfinv(double);
double cyl_bessel_i0(double);
double cyl_bessel_i1(double);

}  // namespace softgpu
