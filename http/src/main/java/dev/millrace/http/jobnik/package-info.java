/**
 * The Jobnik API below {@code /v1}: jobs of ordered stages of parallel tasks. Paths, codes and
 * bodies are those of Jobnik, an open-source job manager; tokens, leases, results, pages and long
 * polling are additions. {@link LeverRoutes} is the table of all requests that change a job; each
 * other {@code …Routes} class handles the requests for one resource. {@link PageBuilder} and {@link
 * EntityScanner} build the pages of lists. Start at {@link JobnikRouteGroup}.
 */
@NullMarked
package dev.millrace.http.jobnik;

import org.jspecify.annotations.NullMarked;
