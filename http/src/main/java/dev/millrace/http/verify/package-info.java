/**
 * Runs a finished task again on the server's own model and compares the bytes, while its client
 * waits. Start at {@link dev.millrace.http.verify.VerifyRoute}.
 */
@NullMarked
package dev.millrace.http.verify;

import org.jspecify.annotations.NullMarked;
