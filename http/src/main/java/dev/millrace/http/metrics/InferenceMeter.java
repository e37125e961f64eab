package dev.millrace.http.metrics;

import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.ModelStats;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Metrics of the models, read when they are scraped. */
final class InferenceMeter {
  private final PrometheusRegistry registry;
  private final Supplier<InferenceStats> stats;

  private InferenceMeter(PrometheusRegistry registry, Supplier<InferenceStats> stats) {
    this.registry = registry;
    this.stats = stats;
  }

  static void register(PrometheusRegistry registry, Supplier<InferenceStats> stats) {
    InferenceMeter meter = new InferenceMeter(registry, stats);
    meter.tokens();
    meter.models();
    meter.perModel("millrace_batch_slots", "Sequences that a model can hold.", ModelStats::slots);
    meter.perModel(
        "millrace_batch_sequences", "Sequences that a model holds.", ModelStats::running);
    meter.perModel(
        "millrace_batch_waiting",
        "Sequences that wait for a slot in a batch.",
        ModelStats::waiting);
    meter.perModel(
        "millrace_batch_fill_ratio",
        "Share of the slots of a model that are in use.",
        model -> (double) model.running() / model.slots());
    meter.perModel(
        "millrace_kv_cache_use_ratio",
        "Share of the KV cache pages that sequences use.",
        model -> ratio(model.pagesUsed(), pages(model)));
    meter.counted("millrace_batch_turns_total", "Batches that a model ran.", ModelStats::batches);
    meter.counted("millrace_batch_rows_total", "Tokens in these batches.", ModelStats::batchTokens);
    meter.counted(
        "millrace_preemptions_total",
        "Sequences that were preempted for others.",
        ModelStats::preemptions);
    meter.pages();
  }

  private static int pages(ModelStats model) {
    return model.pagesUsed() + model.pagesCached() + model.pagesFree();
  }

  private static double ratio(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
  }

  private void tokens() {
    CounterWithCallback.builder()
        .name("millrace_tokens_total")
        .help("Tokens of prompts, those of them found in the cache, generated, and embedded.")
        .labelNames("kind")
        .callback(
            point -> {
              InferenceStats.TokenTotals now = stats.get().tokens();
              point.call(now.prompt(), "prompt");
              point.call(now.cached(), "cached");
              point.call(now.generated(), "generated");
              point.call(now.embedded(), "embedded");
            })
        .register(registry);
  }

  private void models() {
    GaugeWithCallback.builder()
        .name("millrace_models_loaded")
        .help("1 for each model that is in memory.")
        .labelNames("model")
        .callback(point -> stats.get().loaded().forEach(model -> point.call(1, model)))
        .register(registry);
  }

  private void perModel(String name, String help, ToDoubleFunction<ModelStats> value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("model")
        .callback(
            point ->
                stats
                    .get()
                    .models()
                    .forEach(model -> point.call(value.applyAsDouble(model), model.model())))
        .register(registry);
  }

  private void counted(String name, String help, ToDoubleFunction<ModelStats> value) {
    CounterWithCallback.builder()
        .name(name)
        .help(help + " Since it was loaded.")
        .labelNames("model")
        .callback(
            point ->
                stats
                    .get()
                    .models()
                    .forEach(model -> point.call(value.applyAsDouble(model), model.model())))
        .register(registry);
  }

  private void pages() {
    GaugeWithCallback.builder()
        .name("millrace_kv_cache_pages")
        .help("Pages of the KV cache: used, kept for reuse, free.")
        .labelNames("model", "state")
        .callback(
            point ->
                stats
                    .get()
                    .models()
                    .forEach(
                        model -> {
                          point.call(model.pagesUsed(), model.model(), "used");
                          point.call(model.pagesCached(), model.model(), "cached");
                          point.call(model.pagesFree(), model.model(), "free");
                        }))
        .register(registry);
  }
}
