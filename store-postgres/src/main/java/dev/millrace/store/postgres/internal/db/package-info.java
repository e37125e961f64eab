/**
 * The database below everything: connections, statements, the schema and its migrations, the clock,
 * and what went wrong. Start at {@link dev.millrace.store.postgres.internal.db.Database}.
 */
@NullMarked
package dev.millrace.store.postgres.internal.db;

import org.jspecify.annotations.NullMarked;
