/**
 * Chat completions: {@link dev.millrace.http.openai.chat.ChatRoutes} answers them, whole or as a
 * stream of chunks.
 */
@NullMarked
package dev.millrace.http.openai.chat;

import org.jspecify.annotations.NullMarked;
