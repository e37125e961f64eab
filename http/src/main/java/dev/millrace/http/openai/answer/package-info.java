/**
 * What answers of OpenAI's API share: ids, usage, log probabilities, and streams that fail late.
 * Start at {@link dev.millrace.http.openai.answer.ChoiceReader}.
 */
@NullMarked
package dev.millrace.http.openai.answer;

import org.jspecify.annotations.NullMarked;
