/**
 * The executable specification of the store contract: everything in memory, simple and slow. Other
 * stores are compared with it. Start at {@link MemoryStore}.
 */
@NullMarked
package dev.millrace.core.store.memory;

import org.jspecify.annotations.NullMarked;
