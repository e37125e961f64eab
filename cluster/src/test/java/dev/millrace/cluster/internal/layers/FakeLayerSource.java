package dev.millrace.cluster.internal.layers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps what is asked for until a test says what becomes of it. */
public final class FakeLayerSource implements AsyncLayerLoader {
  private final Map<LayerEntry, Listener> asked = new HashMap<>();
  public final List<LayerEntry> order = new ArrayList<>();
  final List<FakeLoadedLayers> given = new ArrayList<>();
  boolean atOnce;

  @Override
  public void fetch(LayerEntry held, Listener report) {
    asked.put(held, report);
    order.add(held);
    if (atOnce) {
      load(held);
    }
  }

  public FakeLoadedLayers load(LayerEntry held) {
    return load(held, held.sha256);
  }

  public FakeLoadedLayers load(LayerEntry held, String sha256) {
    FakeLoadedLayers weights = new FakeLoadedLayers(held.range.from(), held.range.to());
    given.add(weights);
    asked.get(held).loaded(sha256, weights);
    return weights;
  }

  public Listener report(LayerEntry held) {
    return asked.get(held);
  }
}
