/** The examples, run as a reader would. */
@NullMarked
package dev.millrace.examples;

import org.jspecify.annotations.NullMarked;
