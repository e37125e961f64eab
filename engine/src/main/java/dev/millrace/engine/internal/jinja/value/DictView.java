package dev.millrace.engine.internal.jinja.value;

import java.util.List;

/**
 * What a dict's {@code keys()}, {@code values()} and {@code items()} give: it has a length and can
 * be gone through, but has no items by number.
 */
public record DictView(String kind, List<?> items) {}
