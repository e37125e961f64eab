/**
 * The contract tests that every store must pass, one class for each topic, and the specification
 * store's own run of them. Start at {@link StoreContract}.
 */
@NullMarked
package dev.millrace.core.store.contract;

import org.jspecify.annotations.NullMarked;
