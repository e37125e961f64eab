/**
 * The parts of the benchmark of the store on PostgreSQL: the database, servers in processes of
 * their own, and other queues on the same database. Start at {@link BenchPostgres}.
 */
@NullMarked
package dev.millrace.bench.database;

import org.jspecify.annotations.NullMarked;
