/**
 * Whether a store works. Start at {@link dev.millrace.core.store.health.StoreHealth}.
 */
@NullMarked
package dev.millrace.core.store.health;

import org.jspecify.annotations.NullMarked;
