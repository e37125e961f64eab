package dev.millrace.core.state;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A table written by hand: lines of {@code EVENT | U W S | FROM FROM | TO}. */
final class ExpectedTable<S extends Enum<S>, E extends Enum<E>> {
  private record Key(Enum<?> state, Enum<?> event) {}

  private final Map<Key, S> targets = new HashMap<>();
  private final Map<Key, Set<Actor>> actors = new HashMap<>();

  ExpectedTable(String text, Class<S> states, Class<E> events) {
    for (String line : text.strip().split("\n")) {
      String[] cells = line.split("\\|");
      E event = Enum.valueOf(events, cells[0].strip());
      for (String from : cells[2].strip().split(" +")) {
        Key key = new Key(Enum.valueOf(states, from), event);
        targets.put(key, Enum.valueOf(states, cells[3].strip()));
        actors.put(key, actors(cells[1]));
      }
    }
  }

  private static Set<Actor> actors(String letters) {
    Set<Actor> actors = EnumSet.noneOf(Actor.class);
    for (Actor actor : Actor.values()) {
      if (letters.indexOf(actor.name().charAt(0)) >= 0) {
        actors.add(actor);
      }
    }
    return actors;
  }

  @Nullable S target(S state, E event) {
    return targets.get(new Key(state, event));
  }

  Set<Actor> by(S state, E event) {
    return actors.getOrDefault(new Key(state, event), Set.of());
  }

  int size() {
    return targets.size();
  }
}
