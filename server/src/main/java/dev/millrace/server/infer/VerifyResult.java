package dev.millrace.server.infer;

/**
 * The result of repeating a task.
 *
 * @param same whether the repetition gave the same bytes
 * @param message what differs and where, or why the task cannot be repeated
 */
public record VerifyResult(boolean same, String message) {}
