/**
 * The KV cache and attention over it. Keys and values lie in pages of a fixed number of positions;
 * a query attends to the pages of its own sequence, with the same rounding whatever else is in the
 * batch. Start at {@link KvCache}, then {@link Attention}.
 */
@NullMarked
package dev.millrace.engine.internal.cache;

import org.jspecify.annotations.NullMarked;
