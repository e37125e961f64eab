/**
 * The log: a {@link System.LoggerFinder}, so that the library modules need only {@link
 * System.Logger}.
 */
@NullMarked
package dev.millrace.cli.log;

import org.jspecify.annotations.NullMarked;
