/**
 * The log of the process: a {@code System.LoggerFinder}, so that the library modules need only
 * {@code System.Logger}. {@link JGroupsLogging} silences the membership library, and forbids Java
 * deserialization; {@link OpenTelemetryLogging} silences that of traces. Start at {@link Log}.
 */
@NullMarked
package dev.millrace.cli.log;

import org.jspecify.annotations.NullMarked;
