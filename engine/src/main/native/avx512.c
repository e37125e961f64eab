#include <stdint.h>
#include "avx512.h"
#define NAME(format) millrace_##format##_avx512
#include "kernels.h"
#include "pack.h"
#include "activation.h"
