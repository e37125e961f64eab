/**
 * Where stores get their locks, timed waits and threads from, who may call them, and whether their
 * calls fail. Start at {@link
 * dev.millrace.core.internal.concurrent.Threading}.
 */
@NullMarked
package dev.millrace.core.internal.concurrent;

import org.jspecify.annotations.NullMarked;
