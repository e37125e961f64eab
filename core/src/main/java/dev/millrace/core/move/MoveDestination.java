package dev.millrace.core.move;

/**
 * The store that jobs move to.
 *
 * @param identity that no other store has
 * @param name as the user gave it, without a password
 */
public record MoveDestination(String identity, String name) {}
