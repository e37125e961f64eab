/** Keys and values of past positions, in pages; and attention over them. */
@NullMarked
package dev.millrace.engine.cache;

import org.jspecify.annotations.NullMarked;
