/**
 * One small parser for all commands: options are data, and what is not declared is refused by name.
 */
@NullMarked
package dev.millrace.cli.args;

import org.jspecify.annotations.NullMarked;
