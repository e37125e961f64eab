/**
 * The rules of a job's life, as pure functions without clock, files or randomness. A fold is the
 * state that a job's log entries add up to; the rules check what callers ask for and record new
 * facts, and the cascade adds the facts that follow from them. Start at {@link JobFold}.
 */
@NullMarked
package dev.millrace.core.internal.rules;

import org.jspecify.annotations.NullMarked;
