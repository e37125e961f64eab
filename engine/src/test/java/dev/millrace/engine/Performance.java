package dev.millrace.engine;

import dev.millrace.engine.Scenario.Trouble;
import dev.millrace.engine.sample.Logprobs;
import dev.millrace.engine.wheel.Finish;
import dev.millrace.engine.wheel.Generation;
import dev.millrace.engine.wheel.Listener;
import dev.millrace.engine.wheel.Request;
import dev.millrace.engine.wheel.Result;
import dev.millrace.engine.wheel.WheelStats;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a scenario, and sees to it that what it is about does happen. */
final class Performance {
  private static final int TURNS = 20_000;

  private final Stage stage;
  private final Scenario scenario;

  private Performance(Stage stage, Scenario scenario) {
    this.stage = stage;
    this.scenario = scenario;
  }

  /** What the requests of the scenario generated, in their order. */
  static List<Trace> of(Scenario scenario, Path file) {
    try (Stage stage = new Stage(scenario, file)) {
      return new Performance(stage, scenario).traces();
    }
  }

  /** What every request generates alone, one after the other. */
  static List<Trace> plain(Scenario scenario, Path file) {
    List<Trace> traces = new ArrayList<>();
    try (Stage stage = new Stage(scenario, file)) {
      Performance performance = new Performance(stage, scenario);
      for (Request request : Requests.of(scenario.model())) {
        Part part = performance.new Part(request, 0);
        performance.turnAll();
        traces.add(part.trace());
      }
    }
    return traces;
  }

  private List<Trace> traces() {
    if (scenario.prefix()) {
      new Part(Requests.herald(), 0);
      turnAll();
    }
    List<Part> parts = new ArrayList<>();
    int[] order = Requests.order(scenario);
    for (int i = 0; i < order.length; i++) {
      Request request = shortened(Requests.of(scenario.model()).get(order[i]));
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

  /** Only where pages are to run out the long ones get long. */
  private Request shortened(Request request) {
    int most = scenario.trouble() == Trouble.PREEMPTED ? Requests.LONG : Requests.SHORT;
    return new Request(
        request.prompt(),
        request.sampling(),
        Math.min(request.maxTokens(), most),
        List.of(),
        null,
        true,
        new int[0],
        request.order());
  }

  /**
   * From here on it takes two more pages and there are two, while the second request needs two and
   * is let in with one: they cannot both go on, however the second's prompt is cut.
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

  /** A request on the stage. */
  private final class Part implements Listener {
    private final Request request;
    private final int releaseAt;
    private Generation generation;
    private boolean released;
    int tokens;

    /**
     * @param releaseAt after so many tokens it is released, and gone on with at once; 0 is never
     */
    Part(Request request, int releaseAt) {
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
    public void ended(Result result) {
      if (result.finish() == Finish.RELEASED) {
        released = true;
        generation = stage.wheel.submit(request.resumedFrom(result.tokens()), this);
      }
    }

    Trace trace() {
      Result result =
          generation
              .result()
              .orElseThrow(() -> new IllegalStateException("a request has no result"));
      expect(released == releaseAt > 0, "released: " + released);
      expect(
          result.finish() == Finish.LENGTH,
          "it ended as " + result.finish() + ": " + result.reason());
      expect(
          result.tokens().length == request.maxTokens(),
          "it has " + result.tokens().length + " tokens");
      return new Trace(result.tokens(), stage.tap.after(request.prompt(), result.tokens()));
    }
  }
}
