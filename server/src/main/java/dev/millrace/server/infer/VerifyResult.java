package dev.millrace.server.infer;

/**
 * What came of repeating a task.
 *
 * @param same whether it gave the same bytes
 * @param message what differs and where, or why it cannot be repeated
 */
public record VerifyResult(boolean same, String message) {}
