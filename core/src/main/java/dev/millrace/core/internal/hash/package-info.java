/** Hashes of texts and tokens, for ids, keys and receipts. Start at {@link Sha256}. */
@NullMarked
package dev.millrace.core.internal.hash;

import org.jspecify.annotations.NullMarked;
