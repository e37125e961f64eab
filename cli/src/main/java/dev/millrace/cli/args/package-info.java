/**
 * The parser of command lines, one for all commands: a command declares its options as data, and an
 * option that is not declared is an error. It knows no command. Start at {@link ArgumentParser};
 * {@link Syntax} is what a command declares, {@link Arguments} what it gets.
 */
@NullMarked
package dev.millrace.cli.args;

import org.jspecify.annotations.NullMarked;
