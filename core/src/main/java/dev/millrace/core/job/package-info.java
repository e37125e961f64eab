/** What a user submits: ids, states and the table of a job. */
@NullMarked
package dev.millrace.core.job;

import org.jspecify.annotations.NullMarked;
