/**
 * The tables of jobs and of what belongs to them: each class reads and writes one of them. Start at
 * {@link dev.millrace.store.postgres.internal.rows.JobRows}.
 */
@NullMarked
package dev.millrace.store.postgres.internal.rows;

import org.jspecify.annotations.NullMarked;
