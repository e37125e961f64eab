/**
 * The log of the process: a {@code System.LoggerFinder}, so that the library modules need only
 * {@code System.Logger}. Start at {@link Log}.
 */
@NullMarked
package dev.millrace.cli.log;

import org.jspecify.annotations.NullMarked;
