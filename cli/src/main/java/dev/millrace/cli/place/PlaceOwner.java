package dev.millrace.cli.place;

import dev.millrace.core.json.JsonObject;
import java.util.OptionalLong;

/**
 * The process that owns a place, as found at one moment.
 *
 * @param held whether there is one
 * @param ready whether it has announced itself
 * @param pid of that process, if it is known
 * @param info what it announced
 */
public record PlaceOwner(boolean held, boolean ready, OptionalLong pid, JsonObject info) {
  /** The field of {@code info} with what each server of a database announced, and its name. */
  public static final String SERVERS = "servers";
}
