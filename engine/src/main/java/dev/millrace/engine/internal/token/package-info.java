/**
 * The tokenizers behind {@link dev.millrace.engine.token.Tokenizer}: byte-pair encoding (BPE),
 * SentencePiece and WordPiece, each a {@link TextEncoder}, with the vocabulary and the special
 * tokens (BOS, EOS, end of turn) that a file's metadata describes. Start at {@link
 * TokenizerReader}.
 */
@NullMarked
package dev.millrace.engine.internal.token;

import org.jspecify.annotations.NullMarked;
