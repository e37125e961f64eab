/**
 * Load on the HTTP API: servers in this or another process, clients (raw connections or the SDK),
 * pools of them, and jobs that are made before the measurement. Start at {@link BenchServer} and
 * {@link BenchClient}.
 */
@NullMarked
package dev.millrace.bench.http;

import org.jspecify.annotations.NullMarked;
