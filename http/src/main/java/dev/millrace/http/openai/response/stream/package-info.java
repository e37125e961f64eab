/**
 * A response and its events, made from the parts of a model's output: the same code for responses
 * that are stored and for those that are not, so that a stream is a function of the response's
 * head, its tokens and its end. Start at {@link dev.millrace.http.openai.response.stream.ResponseEvents}.
 */
@NullMarked
package dev.millrace.http.openai.response.stream;

import org.jspecify.annotations.NullMarked;
