package dev.millrace.store.postgres.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws faults like cards from a shuffled deck: in any order, but none comes a second time before all
 * others have come.
 *
 * @param <F> the faults
 */
final class FaultDeck<F> {
  private final List<F> all;
  private final SplittableRandom random;
  private final Deque<F> left = new ArrayDeque<>();

  FaultDeck(List<F> all, SplittableRandom random) {
    this.all = List.copyOf(all);
    this.random = random;
  }

  F draw() {
    if (left.isEmpty()) {
      List<F> cards = new ArrayList<>(all);
      while (!cards.isEmpty()) {
        left.add(cards.remove(random.nextInt(cards.size())));
      }
    }
    return left.remove();
  }
}
