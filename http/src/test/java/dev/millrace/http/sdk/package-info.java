/**
 * Tests of the client SDK against a real HTTP server: every path, workers, {@code Remote}. Start at
 * {@link SdkTestServer}.
 */
@NullMarked
package dev.millrace.http.sdk;

import org.jspecify.annotations.NullMarked;
