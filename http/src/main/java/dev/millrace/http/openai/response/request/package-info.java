/**
 * Reads a request for a response: its items become messages, its fields parameters of a generate
 * task. Start at {@link dev.millrace.http.openai.response.request.ResponseRequest}.
 */
@NullMarked
package dev.millrace.http.openai.response.request;

import org.jspecify.annotations.NullMarked;
