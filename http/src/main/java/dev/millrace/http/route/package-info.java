/**
 * What a handler sees: {@link Route} maps a method and path to a handler, which gets an {@link
 * ApiRequest} and returns an {@link ApiResponse} or throws a {@link Problem}. A {@link RouteGroup}
 * is a set of routes below one prefix with its own error format (the Jobnik style, the so1 style,
 * monitoring). Nothing here depends on the web server. Start at {@link RouteGroup}.
 */
@NullMarked
package dev.millrace.http.route;

import org.jspecify.annotations.NullMarked;
