package dev.millrace.core.task;

/**
 * Identifies one claim of one task of a job: the task's stage and number, and the claim's token.
 */
public record ClaimKey(int stage, int task, FencingToken token) {}
