/** Tests of the HTTP service over real sockets. */
@NullMarked
package dev.millrace.server.http;

import org.jspecify.annotations.NullMarked;
