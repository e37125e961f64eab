/**
 * The HTTP API as Java methods. {@link MillraceClient} has one class for each resource: jobs,
 * stages, tasks, so1 jobs, and monitoring (health, metrics, the API document). {@link Remote} lets
 * {@code Work} and {@code Flow} use a server like a local workspace. Start at {@link
 * MillraceClient}.
 */
@NullMarked
package dev.millrace.client;

import org.jspecify.annotations.NullMarked;
