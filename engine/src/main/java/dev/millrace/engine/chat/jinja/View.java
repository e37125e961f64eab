package dev.millrace.engine.chat.jinja;

import java.util.List;

/**
 * What a dict's {@code keys()}, {@code values()} and {@code items()} give: it has a length and can
 * be gone through, but has no items by number.
 */
record View(String kind, List<?> items) {}
