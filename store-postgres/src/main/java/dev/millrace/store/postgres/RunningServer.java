package dev.millrace.store.postgres;

import dev.millrace.core.json.JsonObject;

/**
 * A server that has joined a database and lives.
 *
 * @param epoch of its claims
 * @param name of its machine and process
 * @param ready whether it has loaded its models
 * @param info what it has announced
 */
public record RunningServer(long epoch, String name, boolean ready, JsonObject info) {}
