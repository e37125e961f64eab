/**
 * The program {@code millrace}: reads a command line, finds the command and runs it. Here are the
 * entry point, the registry of all commands and the commands that explain Millrace itself (help,
 * version, states); every other command is in the package of its concern. Start at {@link Main},
 * then {@link CommandRegistry}.
 */
@NullMarked
package dev.millrace.cli;

import org.jspecify.annotations.NullMarked;
