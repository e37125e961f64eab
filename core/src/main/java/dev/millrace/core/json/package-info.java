/**
 * A small, strict JSON reader and writer without dependencies. Values are plain Java objects; an
 * object is a {@code JsonObject}. Start at {@link Json}.
 */
@NullMarked
package dev.millrace.core.json;

import org.jspecify.annotations.NullMarked;
