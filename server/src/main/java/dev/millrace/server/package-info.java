/**
 * The working side of Millrace, usable without HTTP: a {@link dev.millrace.server.Server} claims
 * tasks from a store, hands them to {@link dev.millrace.server.Worker}s and commits what comes of
 * them. Knows the store contract, never a concrete store.
 */
@NullMarked
package dev.millrace.server;

import org.jspecify.annotations.NullMarked;
