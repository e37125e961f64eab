/** Runnable examples of Millrace's Java API. */
@NullMarked
package dev.millrace.examples;

import org.jspecify.annotations.NullMarked;
