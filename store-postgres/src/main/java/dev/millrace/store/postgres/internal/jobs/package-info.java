/**
 * Jobs as rows: how they are read, changed and kept. Start at {@link
 * dev.millrace.store.postgres.internal.jobs.PostgresRepository}.
 */
@NullMarked
package dev.millrace.store.postgres.internal.jobs;

import org.jspecify.annotations.NullMarked;
