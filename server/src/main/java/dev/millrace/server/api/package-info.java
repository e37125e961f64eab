/** The whole HTTP API over one store, put together from its faces. */
@NullMarked
package dev.millrace.server.api;

import org.jspecify.annotations.NullMarked;
