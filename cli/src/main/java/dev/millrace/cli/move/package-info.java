/** The command that moves jobs from one store to another. */
@NullMarked
package dev.millrace.cli.move;

import org.jspecify.annotations.NullMarked;
