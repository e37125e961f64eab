#include <stdint.h>
#include "neon.h"
#define NAME(format) millrace_##format##_neon
#include "kernels.h"
#include "pack.h"
#include "activation.h"
