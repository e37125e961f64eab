/**
 * Reads jobs, from any process. Start at {@link
 * dev.millrace.store.postgres.internal.read.PostgresReader}.
 */
@NullMarked
package dev.millrace.store.postgres.internal.read;

import org.jspecify.annotations.NullMarked;
