/**
 * The page under load, and its pictures: a server whose tasks write tokens at a steady rate, streams
 * as open pages have them, and sample jobs for a server with the model that ships. Start at {@link
 * dev.millrace.bench.page.StreamingServer} and {@link dev.millrace.bench.page.PageScreenshots}.
 */
@NullMarked
package dev.millrace.bench.page;

import org.jspecify.annotations.NullMarked;
