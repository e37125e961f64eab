/**
 * Models, their tokens and their embeddings: {@code /v1/models}, {@code /v1/embeddings}, {@code
 * /tokenize}, {@code /detokenize} and {@code /apply-template}.
 */
@NullMarked
package dev.millrace.http.openai.model;

import org.jspecify.annotations.NullMarked;
