/**
 * What all commands share: the interface {@link Command}, the {@link Shell} (streams, environment
 * and directory that a command sees), exit codes, signals, and the exception for a request that
 * cannot be fulfilled. It knows no single command. Start at {@link Command}.
 */
@NullMarked
package dev.millrace.cli.command;

import org.jspecify.annotations.NullMarked;
