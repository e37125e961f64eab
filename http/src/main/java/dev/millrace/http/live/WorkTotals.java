package dev.millrace.http.live;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.WorkListener;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.ModelStats;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * How much was done since the start, from what is counted anyway: by the schedulers of the models,
 * by the server for other tasks, and here for the answers of workers. Thread-safe.
 */
final class WorkTotals implements WorkListener {
  private final ServerAccess access;
  private final LongAdder ended = new LongAdder();
  private final Map<String, ModelTokens> last = new HashMap<>(); // guarded by this, as those below
  private long generated;
  private long prompt;

  /** The counters of a model when they were last seen; they restart when it is loaded again. */
  private record ModelTokens(long generated, long prompt) {
    static final ModelTokens NONE = new ModelTokens(0, 0);
  }

  /**
   * The totals at one moment.
   *
   * @param tasks attempts that completed or failed
   */
  record Totals(long generated, long prompt, long tasks) {}

  WorkTotals(ServerAccess access) {
    this.access = access;
  }

  @Override
  public void answered(Claim claim, Answer answer, Outcome outcome) {
    if (answer != Answer.RELEASED && outcome.isDone()) {
      ended.increment();
    }
  }

  synchronized Totals now() {
    InferenceStats stats = access.models().get();
    long embedded = 0;
    if (stats != null) {
      stats.models().forEach(this::add);
      embedded = stats.tokens().embedded();
    }
    return new Totals(generated + access.journaledTokens(), prompt + embedded, ended.sum());
  }

  private void add(ModelStats model) {
    ModelTokens now = new ModelTokens(model.chosenTokens(), model.promptTokens());
    ModelTokens before = last.getOrDefault(model.model(), ModelTokens.NONE);
    boolean restarted = now.generated() < before.generated() || now.prompt() < before.prompt();
    ModelTokens base = restarted ? ModelTokens.NONE : before;
    generated += now.generated() - base.generated();
    prompt += now.prompt() - base.prompt();
    last.put(model.model(), now);
  }
}
