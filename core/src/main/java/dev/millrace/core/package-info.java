/**
 * The entry points of the library: {@code Work} submits jobs, {@code Flow} reads their state and
 * results. Both work on any store. Start at {@link Work}.
 */
@NullMarked
package dev.millrace.core;

import org.jspecify.annotations.NullMarked;
