@NullMarked
package dev.millrace.server.http.trace;

import org.jspecify.annotations.NullMarked;
