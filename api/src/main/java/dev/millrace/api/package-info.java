/**
 * The records of the HTTP API, with their JSON in both directions. The client and the HTTP server
 * share them, so each field is written in one place. {@code Api…} records are what the server
 * answers, {@code New…} records are what a client creates, {@code So1…} records belong to the so1
 * API below {@code /api}. Reading is lenient: unknown fields are ignored. Start at {@link ApiJob}.
 */
@NullMarked
package dev.millrace.api;

import org.jspecify.annotations.NullMarked;
