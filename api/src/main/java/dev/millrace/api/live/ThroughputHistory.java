package dev.millrace.api.live;

import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a server did in the last minutes, oldest first. */
public record ThroughputHistory(Duration interval, List<Sample> samples) {

  /**
   * What it did in the interval before a time, and what it held then.
   *
   * @param at seconds since 1970
   * @param waiting tasks that waited
   * @param running tasks that ran
   * @param batchFill the share of the slots of all models in use; null without a loaded model
   * @param cacheUsed the share of the pages of their KV caches in use; null without one
   */
  public record Sample(
      long at,
      LiveRates rates,
      long waiting,
      long running,
      @Nullable Double batchFill,
      @Nullable Double cacheUsed) {}

  public ThroughputHistory {
    samples = List.copyOf(samples);
  }

  public static ThroughputHistory fromJson(JsonObject in) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < in.list("at").size(); i++) {
      samples.add(
          new Sample(
              (long) number(in, "at", i),
              new LiveRates(
                  number(in, "generated", i), number(in, "prompt", i), number(in, "tasks", i)),
              (long) number(in, "waiting", i),
              (long) number(in, "running", i),
              share(in, "batchFill", i),
              share(in, "cacheUsed", i)));
    }
    return new ThroughputHistory(Duration.ofSeconds(in.integer("intervalSeconds")), samples);
  }

  private static double number(JsonObject in, String name, int index) {
    return ((Number) in.list(name).get(index)).doubleValue();
  }

  private static @Nullable Double share(JsonObject in, String name, int index) {
    return in.list(name).get(index) instanceof Number share ? share.doubleValue() : null;
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("intervalSeconds", interval.toSeconds())
        .put("at", column(Sample::at))
        .put("generated", column(sample -> sample.rates().generated()))
        .put("prompt", column(sample -> sample.rates().prompt()))
        .put("tasks", column(sample -> sample.rates().tasks()))
        .put("waiting", column(Sample::waiting))
        .put("running", column(Sample::running))
        .put("batchFill", column(Sample::batchFill))
        .put("cacheUsed", column(Sample::cacheUsed));
  }

  private List<@Nullable Object> column(Function<Sample, @Nullable Object> value) {
    List<@Nullable Object> column = new ArrayList<>();
    samples.forEach(sample -> column.add(value.apply(sample)));
    return column;
  }
}
