/**
 * Tests of the page in a real browser, against servers of this JVM with stub workers, or of the jar.
 * They need Node and Chromium, and are skipped without them. Start at {@link
 * dev.millrace.cli.webpage.PageFixture}.
 */
@NullMarked
package dev.millrace.cli.webpage;

import org.jspecify.annotations.NullMarked;
