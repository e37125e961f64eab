package dev.millrace.engine;

import dev.millrace.engine.DeterminismScenario.Trouble;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.WheelStats;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a scenario, and checks that the conditions it is about do occur. */
final class ScenarioRunner {
  private static final int TURNS = 20_000;

  private final ScenarioWheel stage;
  private final DeterminismScenario scenario;

  private ScenarioRunner(ScenarioWheel stage, DeterminismScenario scenario) {
    this.stage = stage;
    this.scenario = scenario;
  }

  /** The output of the scenario's requests, in their order. */
  static List<LogitsTrace> of(DeterminismScenario scenario, Path file) {
    try (ScenarioWheel stage = new ScenarioWheel(scenario, file)) {
      return new ScenarioRunner(stage, scenario).traces();
    }
  }

  /** The output of every request alone, one after the other. */
  static List<LogitsTrace> plain(DeterminismScenario scenario, Path file) {
    List<LogitsTrace> traces = new ArrayList<>();
    try (ScenarioWheel stage = new ScenarioWheel(scenario, file)) {
      ScenarioRunner performance = new ScenarioRunner(stage, scenario);
      for (GenerationRequest request : ScenarioRequests.of(scenario.model())) {
        Part part = performance.new Part(request, 0);
        performance.turnAll();
        traces.add(part.trace());
      }
    }
    return traces;
  }

  private List<LogitsTrace> traces() {
    if (scenario.prefix()) {
      new Part(ScenarioRequests.herald(), 0);
      turnAll();
    }
    List<Part> parts = new ArrayList<>();
    int[] order = ScenarioRequests.order(scenario);
    for (int i = 0; i < order.length; i++) {
      GenerationRequest request = shortened(ScenarioRequests.of(scenario.model()).get(order[i]));
      boolean released = scenario.trouble() == Trouble.RELEASED && i % 2 == 0;
      parts.add(new Part(request, released ? 1 + i % 5 : 0));
      if (i == 0 && scenario.trouble() == Trouble.PREEMPTED) {
        turnUntilItIsAboutToGrow(parts.getFirst());
      }
    }
    turnAll();
    check(stage.wheel.stats());
    return parts.stream().map(Part::trace).toList();
  }

  /** The long requests get long only if pages are to run out. */
  private GenerationRequest shortened(GenerationRequest request) {
    int most =
        scenario.trouble() == Trouble.PREEMPTED ? ScenarioRequests.LONG : ScenarioRequests.SHORT;
    return GenerationRequest.of(
            request.prompt(), request.sampling(), Math.min(request.maxTokens(), most))
        .ignoringEnd()
        .withOrder(request.order());
  }

  /**
   * From here on it needs two more pages and there are two, while the second request needs two and
   * is admitted with one: they cannot both continue, however the second's prompt is cut.
   */
  private void turnUntilItIsAboutToGrow(Part first) {
    for (int turns = 0; first.tokens < 2; turns++) {
      expect(stage.step() && turns < TURNS, "the first request does not get on");
    }
  }

  private void turnAll() {
    for (int turns = 0; stage.step(); turns++) {
      expect(turns < TURNS, "it does not end");
    }
  }

  private void check(WheelStats stats) {
    expect(stats.prefixHits() > 0 == scenario.prefix(), "prefix hits: " + stats.prefixHits());
    boolean preempted = scenario.trouble() == Trouble.PREEMPTED;
    expect(stats.preemptions() > 0 == preempted, "preemptions: " + stats.preemptions());
    expect(stats.pagesUsed() == 0, "pages in use at the end: " + stats.pagesUsed());
    expect(
        stage.passagesElsewhere() == 0,
        "passages that other nodes keep: " + stage.passagesElsewhere());
  }

  private static void expect(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }

  /** A request of the scenario. */
  private final class Part implements GenerationListener {
    private final GenerationRequest request;
    private final int releaseAt;
    private Generation generation;
    private boolean released;
    int tokens;

    /**
     * @param releaseAt the number of tokens after which it is released and resumed at once; 0 is
     *     never
     */
    Part(GenerationRequest request, int releaseAt) {
      this.request = request;
      this.releaseAt = releaseAt;
      generation = stage.wheel.submit(request, this);
    }

    @Override
    public void token(int id, String text, @Nullable Logprobs logprobs) {
      if (++tokens == releaseAt) {
        generation.release();
      }
    }

    @Override
    public void ended(GenerationResult result) {
      if (result.finish() == FinishReason.RELEASED) {
        released = true;
        generation = stage.wheel.submit(request.resumedFrom(result.tokens()), this);
      }
    }

    LogitsTrace trace() {
      GenerationResult result =
          generation
              .result()
              .orElseThrow(() -> new IllegalStateException("a request has no result"));
      expect(released == releaseAt > 0, "released: " + released);
      expect(
          result.finish() == FinishReason.LENGTH,
          "it ended as " + result.finish() + ": " + result.reason());
      expect(
          result.tokens().length == request.maxTokens(),
          "it has " + result.tokens().length + " tokens");
      return new LogitsTrace(result.tokens(), stage.tap.after(request.prompt(), result.tokens()));
    }
  }
}
