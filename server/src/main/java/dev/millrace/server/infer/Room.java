package dev.millrace.server.infer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who must leave a shelf for whom: one model at a time asks for room, and until it has it or gives
 * up, those that are to leave for it stay the same. Guarded by the shelf's lock.
 */
final class Room {
  private final Budget budget;
  private final Set<Place<?>> condemned = new LinkedHashSet<>();
  private @Nullable Place<?> asking;

  Room(Budget budget) {
    this.budget = budget;
  }

  /**
   * @throws Refusal if a model can never have room
   */
  void check(Source<?> source) {
    budget.check(source.name(), source.bytes());
  }

  boolean isCondemned(Place<?> place) {
    return condemned.contains(place);
  }

  @Nullable Place<?> asking() {
    return asking;
  }

  void stopAsking() {
    asking = null;
    condemned.clear();
  }

  /** Whether it may ask: nobody does, or it does already. */
  boolean admits(Place<?> place) {
    return asking == null || asking == place;
  }

  /**
   * Asks for room, and condemns what was not used for longest where there is too little.
   *
   * @return what can leave now so that there is enough, once what goes already has gone; empty
   *     while that is lent
   */
  Optional<List<Place<?>>> ask(Place<?> place, Collection<Place<?>> all) {
    asking = place;
    condemned.removeIf(leaving -> !leaving.isThere()); // it leaves for another reason
    long missing = place.source.bytes() - budget.left();
    for (Place<?> other : all) {
      boolean stays = other.state() != Place.State.GOING && !condemned.contains(other);
      missing += stays ? other.bytes() : 0;
    }
    for (Place<?> longest : longestUnused(all)) {
      if (missing > 0 && condemned.add(longest)) {
        missing -= longest.bytes();
      }
    }
    boolean free = condemned.stream().allMatch(leaving -> leaving.leases == 0);
    return missing <= 0 && free ? Optional.of(List.copyOf(condemned)) : Optional.empty();
  }

  private static List<Place<?>> longestUnused(Collection<Place<?>> all) {
    List<Place<?>> in = new ArrayList<>();
    for (Place<?> place : all) {
      if (place.isThere()) {
        in.add(place);
      }
    }
    in.sort(
        Comparator.comparing((Place<?> place) -> place.leases > 0)
            .thenComparingLong(place -> place.lastUse));
    return in;
  }
}
