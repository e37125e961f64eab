/**
 * Kernels in C, carried in the jar as one small library ({@code src/main/native} has its source and
 * its build), called by the foreign-function API. They compute the same bits as the kernels in Java.
 * Start at {@link NativeKernels}.
 */
@NullMarked
package dev.millrace.engine.internal.nativecode;

import org.jspecify.annotations.NullMarked;
