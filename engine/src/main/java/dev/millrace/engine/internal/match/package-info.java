/** Finding many texts at once in one that arrives in pieces: {@link AhoCorasick}. */
@NullMarked
package dev.millrace.engine.internal.match;

import org.jspecify.annotations.NullMarked;
