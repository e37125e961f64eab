/** Tokenizers from a file's metadata: text to ids and back. */
@NullMarked
package dev.millrace.engine.token;

import org.jspecify.annotations.NullMarked;
