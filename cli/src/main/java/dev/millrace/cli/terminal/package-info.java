/**
 * Output on terminals: tables, colours, progress bars, lines that are redrawn in place, and short
 * forms of numbers, durations and times; {@link PollPacer} limits how often a display polls. Text
 * from outside is sanitized before it is printed. Start at {@link TextTable} and {@link
 * ProgressBar}.
 */
@NullMarked
package dev.millrace.cli.terminal;

import org.jspecify.annotations.NullMarked;
