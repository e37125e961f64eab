/**
 * The routes of OpenAI's API, as clients of it expect them. Start at {@link
 * dev.millrace.http.openai.OpenAiRouteGroup}.
 */
@NullMarked
package dev.millrace.http.openai;

import org.jspecify.annotations.NullMarked;
