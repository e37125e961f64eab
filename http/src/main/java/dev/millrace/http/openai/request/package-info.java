/**
 * What the routes of OpenAI's API share: errors, and the translation of requests into the parameters
 * of a generate task. Start at {@link dev.millrace.http.openai.request.GenerateData}.
 */
@NullMarked
package dev.millrace.http.openai.request;

import org.jspecify.annotations.NullMarked;
