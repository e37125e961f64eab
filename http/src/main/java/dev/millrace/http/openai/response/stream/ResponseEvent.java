package dev.millrace.http.openai.response.stream;

import dev.millrace.core.json.JsonObject;

/**
 * One event of a response's stream.
 *
 * @param sequence its number in the stream, from 0
 * @param data all its fields, with the type and the number
 */
public record ResponseEvent(String type, long sequence, JsonObject data) {}
