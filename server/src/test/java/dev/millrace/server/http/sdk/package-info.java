/** The client module against the real faces, over real sockets. */
@NullMarked
package dev.millrace.server.http.sdk;

import org.jspecify.annotations.NullMarked;
