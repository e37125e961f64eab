/**
 * A job as a user submits it: its specification, id, priority, states and transition table, and its
 * JSON document. A job has stages, a stage has tasks. Start at {@link JobSpec}.
 */
@NullMarked
package dev.millrace.core.job;

import org.jspecify.annotations.NullMarked;
