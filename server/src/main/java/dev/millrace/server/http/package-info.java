/**
 * The HTTP service: one listener that knows requests, keys, limits and errors, and faces that know
 * jobs. A face is a list of routes; nothing in it depends on the web server below.
 */
@NullMarked
package dev.millrace.server.http;

import org.jspecify.annotations.NullMarked;
