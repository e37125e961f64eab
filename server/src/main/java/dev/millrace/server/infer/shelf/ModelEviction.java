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
 * Chooses the models to unload for another one. One model at a time requests memory; until it is
 * loaded or gives up, the models marked for it stay marked. Guarded by the shelf's lock.
 */
final class ModelEviction {
  private final ModelMemoryBudget budget;
  private final Set<ShelfSlot<?>> marked = new LinkedHashSet<>();
  private @Nullable ShelfSlot<?> requester;

  ModelEviction(ModelMemoryBudget budget) {
    this.budget = budget;
  }

  /**
   * @throws TaskRefused if a model can never fit
   */
  void checkFits(ShelfItemLoader<?> loader) {
    budget.checkFits(loader.name(), loader.bytes());
  }

  boolean isMarked(ShelfSlot<?> slot) {
    return marked.contains(slot);
  }

  @Nullable ShelfSlot<?> requester() {
    return requester;
  }

  void clearRequest() {
    requester = null;
    marked.clear();
  }

  /** Whether the slot may request memory: no other slot does. */
  boolean mayRequest(ShelfSlot<?> slot) {
    return requester == null || requester == slot;
  }

  /**
   * Requests memory for a slot, and marks the least recently used models if there is too little.
   *
   * @return the models to unload now so that there is enough memory, once those being unloaded are
   *     gone; empty while one of them is lent
   */
  Optional<List<ShelfSlot<?>>> planFor(ShelfSlot<?> slot, Collection<ShelfSlot<?>> all) {
    requester = slot;
    marked.removeIf(leaving -> !leaving.isResident()); // unloaded for another reason
    long missing = missingFor(slot, all);
    for (ShelfSlot<?> candidate : leastRecentlyUsed(all)) {
      if (missing > 0 && marked.add(candidate)) {
        missing -= candidate.bytes();
      }
    }
    boolean free = marked.stream().allMatch(leaving -> leaving.leases == 0);
    return missing <= 0 && free ? Optional.of(List.copyOf(marked)) : Optional.empty();
  }

  private long missingFor(ShelfSlot<?> slot, Collection<ShelfSlot<?>> all) {
    long missing = slot.loader.bytes() - budget.available();
    for (ShelfSlot<?> other : all) {
      boolean stays = other.state() != ShelfSlot.State.GOING && !marked.contains(other);
      missing += stays ? other.bytes() : 0;
    }
    return missing;
  }

  /**
   * The same as {@link #planFor}, but marks nothing and leaves models in use alone.
   *
   * @return the models to unload; empty if that would not be enough
   */
  Optional<List<ShelfSlot<?>>> planUnusedFor(ShelfSlot<?> slot, Collection<ShelfSlot<?>> all) {
    long missing = missingFor(slot, all);
    List<ShelfSlot<?>> leaving = new ArrayList<>();
    for (ShelfSlot<?> candidate : leastRecentlyUsed(all)) {
      if (missing > 0 && candidate.leases == 0) {
        leaving.add(candidate);
        missing -= candidate.bytes();
      }
    }
    return missing <= 0 ? Optional.of(leaving) : Optional.empty();
  }

  private static List<ShelfSlot<?>> leastRecentlyUsed(Collection<ShelfSlot<?>> all) {
    List<ShelfSlot<?>> in = new ArrayList<>();
    for (ShelfSlot<?> slot : all) {
      if (slot.isResident()) {
        in.add(slot);
      }
    }
    in.sort(
        Comparator.comparing((ShelfSlot<?> slot) -> slot.leases > 0)
            .thenComparingLong(slot -> slot.lastUse));
    return in;
  }
}
