/** The unit that one worker claims: its states, table, limits and fencing token. */
@NullMarked
package dev.millrace.core.task;

import org.jspecify.annotations.NullMarked;
