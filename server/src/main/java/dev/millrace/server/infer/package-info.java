/**
 * Tasks become tokens: the workers for {@code generate} and {@code embed}. {@link
 * dev.millrace.server.infer.Inference} is the door; behind it models are lent from a shelf of bounded
 * size, and each task is settled (terms), run (runner), written down as it goes (scribe) and
 * accounted for (receipt).
 */
@NullMarked
package dev.millrace.server.infer;

import org.jspecify.annotations.NullMarked;
