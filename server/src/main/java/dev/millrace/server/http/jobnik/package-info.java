/**
 * The Jobnik face: jobs of ordered stages of parallel tasks, and a queue from which workers
 * anywhere take them. Its paths, codes and bodies are Jobnik's; what that leaves out (tokens,
 * leases, results, pages, waiting) is added beside.
 */
@NullMarked
package dev.millrace.server.http.jobnik;

import org.jspecify.annotations.NullMarked;
