package dev.millrace.server.infer.shelf;

import dev.millrace.server.infer.parameters.TaskRefused;
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
final class ModelEviction {
  private final ModelMemoryBudget budget;
  private final Set<ShelfSlot<?>> marked = new LinkedHashSet<>();
  private @Nullable ShelfSlot<?> requester;

  ModelEviction(ModelMemoryBudget budget) {
    this.budget = budget;
  }

  /**
   * @throws TaskRefused if a model can never have room
   */
  void checkFits(ShelfItemLoader<?> source) {
    budget.checkFits(source.name(), source.bytes());
  }

  boolean isMarked(ShelfSlot<?> place) {
    return marked.contains(place);
  }

  @Nullable ShelfSlot<?> requester() {
    return requester;
  }

  void clearRequest() {
    requester = null;
    marked.clear();
  }

  /** Whether it may ask: nobody does, or it does already. */
  boolean mayRequest(ShelfSlot<?> place) {
    return requester == null || requester == place;
  }

  /**
   * Asks for room, and condemns what was not used for longest where there is too little.
   *
   * @return what can leave now so that there is enough, once what goes already has gone; empty
   *     while that is lent
   */
  Optional<List<ShelfSlot<?>>> planFor(ShelfSlot<?> place, Collection<ShelfSlot<?>> all) {
    requester = place;
    marked.removeIf(leaving -> !leaving.isResident()); // it leaves for another reason
    long missing = place.source.bytes() - budget.available();
    for (ShelfSlot<?> other : all) {
      boolean stays = other.state() != ShelfSlot.State.GOING && !marked.contains(other);
      missing += stays ? other.bytes() : 0;
    }
    for (ShelfSlot<?> longest : longestUnused(all)) {
      if (missing > 0 && marked.add(longest)) {
        missing -= longest.bytes();
      }
    }
    boolean free = marked.stream().allMatch(leaving -> leaving.leases == 0);
    return missing <= 0 && free ? Optional.of(List.copyOf(marked)) : Optional.empty();
  }

  private static List<ShelfSlot<?>> longestUnused(Collection<ShelfSlot<?>> all) {
    List<ShelfSlot<?>> in = new ArrayList<>();
    for (ShelfSlot<?> place : all) {
      if (place.isResident()) {
        in.add(place);
      }
    }
    in.sort(
        Comparator.comparing((ShelfSlot<?> place) -> place.leases > 0)
            .thenComparingLong(place -> place.lastUse));
    return in;
  }
}
