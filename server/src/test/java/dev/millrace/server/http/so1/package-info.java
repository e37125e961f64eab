/** The so1 face: what it makes of requests, what it shows, and its streams over real sockets. */
@NullMarked
package dev.millrace.server.http.so1;

import org.jspecify.annotations.NullMarked;
