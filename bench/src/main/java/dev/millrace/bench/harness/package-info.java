/**
 * What every benchmark uses: its options, scratch directories, and rounds of several contenders
 * that run in turns and are compared as ratios. Start at {@link InterleavedRounds}.
 */
@NullMarked
package dev.millrace.bench.harness;

import org.jspecify.annotations.NullMarked;
