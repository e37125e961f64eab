/** Weight matrices in the layout that kernels like, and the products with them. */
@NullMarked
package dev.millrace.engine.tensor;

import org.jspecify.annotations.NullMarked;
