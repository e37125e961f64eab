@NullMarked
package dev.millrace.server.http.meter;

import org.jspecify.annotations.NullMarked;
