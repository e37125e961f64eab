/**
 * What every store does alike, over the port that a store implements. Start at {@link
 * WorkListeners}.
 */
@NullMarked
package dev.millrace.core.internal.store;

import org.jspecify.annotations.NullMarked;
