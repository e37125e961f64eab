@NullMarked
package dev.millrace.server.http.hooks;

import org.jspecify.annotations.NullMarked;
