/**
 * How many jobs, stages and tasks are in each state: kept while jobs change, and built once for the
 * jobs that were there before. Start at {@link StatusCountKeeper}.
 */
@NullMarked
package dev.millrace.core.internal.count;

import org.jspecify.annotations.NullMarked;
