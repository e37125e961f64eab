/** One step of a job: its states and their table. */
@NullMarked
package dev.millrace.core.stage;

import org.jspecify.annotations.NullMarked;
