/**
 * The routes for operators: liveness, readiness, health, metrics, the OpenAPI document and its
 * page. A {@link ReadinessCheck} says whether a part of the server works. Start at {@link
 * MonitoringRouteGroup}.
 */
@NullMarked
package dev.millrace.http.monitoring;

import org.jspecify.annotations.NullMarked;
