/**
 * Servers in processes of their own share a database, while both are disturbed in every way that
 * production knows; at the end everything that was acknowledged is there, exactly once. Start at
 * {@link dev.millrace.store.postgres.chaos.ServerChaosTest}.
 */
@NullMarked
package dev.millrace.store.postgres.chaos;

import org.jspecify.annotations.NullMarked;
