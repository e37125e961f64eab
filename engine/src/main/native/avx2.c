#include <stdint.h>
#include "avx2.h"
#define NAME(format) millrace_##format##_avx2
#include "kernels.h"
#include "pack.h"
#include "activation.h"
