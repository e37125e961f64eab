/**
 * The benchmarks of Millrace, one main class each: {@code bench/run NAME} starts {@code NAMEBench}.
 * What they are built from is in the packages below. Start at {@link SubmitBench} for the store,
 * {@link HttpBench} for HTTP, {@link SystemBench} for a model.
 */
@NullMarked
package dev.millrace.bench;

import org.jspecify.annotations.NullMarked;
