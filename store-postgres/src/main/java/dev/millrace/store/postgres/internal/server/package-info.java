/**
 * A store over the database, and what it does in the background. Start at {@link
 * dev.millrace.store.postgres.internal.server.PostgresStore}.
 */
@NullMarked
package dev.millrace.store.postgres.internal.server;

import org.jspecify.annotations.NullMarked;
