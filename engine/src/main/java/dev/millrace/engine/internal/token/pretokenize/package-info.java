/**
 * How a text is cut into words before byte-pair encoding: the split patterns of each model family,
 * a small regular expression matcher over code points, and the character classes it needs. {@link
 * LenientUtf8} and {@link IntList} are used by the encoders too. Start at {@link PreTokenizer};
 * {@link PreTokenizerRegistry} has them by the names that files use.
 */
@NullMarked
package dev.millrace.engine.internal.token.pretokenize;

import org.jspecify.annotations.NullMarked;
