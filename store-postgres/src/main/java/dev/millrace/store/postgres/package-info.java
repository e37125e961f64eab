/**
 * The store of many servers: jobs are rows of a PostgreSQL database, and any number of servers
 * claim from it. Start at {@link dev.millrace.store.postgres.PostgresDatabase}.
 */
@NullMarked
package dev.millrace.store.postgres;

import org.jspecify.annotations.NullMarked;
