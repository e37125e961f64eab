package dev.millrace.cluster.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps what is asked for until a test says what becomes of it. */
final class FakeSupply implements Supply {
  private final Map<Held, Report> asked = new HashMap<>();
  final List<Held> order = new ArrayList<>();
  final List<FakeWeights> given = new ArrayList<>();
  boolean atOnce;

  @Override
  public void get(Held held, Report report) {
    asked.put(held, report);
    order.add(held);
    if (atOnce) {
      load(held);
    }
  }

  FakeWeights load(Held held) {
    return load(held, held.sha256);
  }

  FakeWeights load(Held held, String sha256) {
    FakeWeights weights = new FakeWeights(held.range.from(), held.range.to());
    given.add(weights);
    asked.get(held).loaded(sha256, weights);
    return weights;
  }

  Report report(Held held) {
    return asked.get(held);
  }
}
