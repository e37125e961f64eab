/**
 * Man pages and shell completions, written from the option tables when the distribution is built.
 * Start at {@link dev.millrace.cli.manual.ManualFiles}, which writes all of them; {@link
 * dev.millrace.cli.manual.Completion} says what a shell completes for an option or a command.
 */
@NullMarked
package dev.millrace.cli.manual;

import org.jspecify.annotations.NullMarked;
