package dev.millrace.http.live;

import dev.millrace.api.live.ModelLoad;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.ModelStats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How busy the loaded models are. */
final class ModelLoads {
  private ModelLoads() {}

  static List<ModelLoad> of(@Nullable InferenceStats stats) {
    return stats == null ? List.of() : stats.models().stream().map(ModelLoads::of).toList();
  }

  private static ModelLoad of(ModelStats model) {
    return new ModelLoad(
        model.model(),
        model.running(),
        model.waiting(),
        model.slots(),
        share(model.running(), model.slots()),
        share(model.pagesUsed(), pages(model)));
  }

  static long pages(ModelStats model) {
    return (long) model.pagesUsed() + model.pagesCached() + model.pagesFree();
  }

  /** To a thousandth. */
  static double share(long part, long whole) {
    return whole == 0 ? 0 : Math.round(1000.0 * part / whole) / 1000.0;
  }
}
