/**
 * OpenAI's Responses API. A stored response is a job; one that is not stored runs without. Start at
 * {@link dev.millrace.http.openai.response.ResponseRoutes}.
 */
@NullMarked
package dev.millrace.http.openai.response;

import org.jspecify.annotations.NullMarked;
