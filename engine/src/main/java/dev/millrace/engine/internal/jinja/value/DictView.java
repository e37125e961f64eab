package dev.millrace.engine.internal.jinja.value;

import java.util.List;

/**
 * The result of a dict's {@code keys()}, {@code values()} or {@code items()}: it has a length and
 * can be iterated, but cannot be indexed.
 */
public record DictView(String kind, List<?> items) {}
