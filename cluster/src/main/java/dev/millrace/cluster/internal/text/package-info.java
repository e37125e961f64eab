/**
 * Error texts that need nothing else: file errors in plain words, and texts of other nodes made
 * safe for a log or a terminal. Start at {@link FileErrors}.
 */
@NullMarked
package dev.millrace.cluster.internal.text;

import org.jspecify.annotations.NullMarked;
