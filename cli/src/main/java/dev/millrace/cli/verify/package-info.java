/**
 * {@code millrace verify}: repeats the tasks of a job under the terms they were done with, and
 * compares the results with its receipts. Start at {@link VerifyCommand}.
 */
@NullMarked
package dev.millrace.cli.verify;

import org.jspecify.annotations.NullMarked;
