/**
 * Figures for whoever watches the server, as Prometheus reads them: how much waits and runs, how
 * long it takes, what models do, what is asked over HTTP. Names that users give are bounded, so that
 * nobody can make the figures grow without end.
 */
@NullMarked
package dev.millrace.server.http.meter;

import org.jspecify.annotations.NullMarked;
