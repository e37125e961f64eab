/**
 * The records of the HTTP API with their JSON. The client and the HTTP server share them.
 *
 * <p>Records of answers are written by the server ({@code toJson}) and read by the client ({@code
 * fromJson}), so each field and the order of fields is defined once: {@code Api…}, {@link
 * ClaimedTask}, {@link HeartbeatResponse}, {@link TaskTerms} and {@link PrunableJob} for the Jobnik
 * API below {@code /v1}, {@code So1…}, {@link LogLine} and {@link CallerIdentity} for the so1 API
 * below {@code /api}. Reading is lenient: unknown fields are ignored.
 *
 * <p>Records of requests ({@code New…}, {@link TaskStatusUpdate} and {@link PruneRequest}) are only
 * written. The server does not read requests into them: it checks the body against the OpenAPI
 * document and then reads it, a job as a {@link dev.millrace.core.job.JobDocument}, strictly, and
 * the texts of the errors on the way are part of its answers. Start at {@link ApiJob}.
 */
@NullMarked
package dev.millrace.api;

import org.jspecify.annotations.NullMarked;
