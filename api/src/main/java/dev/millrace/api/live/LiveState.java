package dev.millrace.api.live;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What a server does at one moment. Each is complete in itself.
 *
 * @param waiting the first jobs of the queue, in claim order
 * @param waitingTotal all jobs with a task to claim
 * @param atGate some of the jobs that wait for an approval
 * @param running tasks, longest running first
 * @param runningTotal all tasks that run, as far as this server knows
 */
public record LiveState(
    Instant at,
    LiveCounts counts,
    List<WaitingJob> waiting,
    int waitingTotal,
    List<GatedJob> atGate,
    List<LiveTask> running,
    int runningTotal,
    LiveRates rates,
    List<ModelLoad> models) {

  public LiveState {
    waiting = List.copyOf(waiting);
    atGate = List.copyOf(atGate);
    running = List.copyOf(running);
    models = List.copyOf(models);
  }

  public static LiveState fromJson(JsonObject in) {
    return new LiveState(
        Instant.parse(in.string("at")),
        LiveCounts.fromJson(in),
        LiveFields.list(in, "waiting", WaitingJob::fromJson),
        Math.toIntExact(in.integer("waitingTotal")),
        LiveFields.list(in, "atGate", GatedJob::fromJson),
        LiveFields.list(in, "running", LiveTask::fromJson),
        Math.toIntExact(in.integer("runningTotal")),
        LiveRates.fromJson(in.object("rates")),
        LiveFields.list(in, "models", ModelLoad::fromJson));
  }

  public JsonObject toJson() {
    JsonObject out = JsonObject.create().put("at", at.truncatedTo(ChronoUnit.MILLIS).toString());
    counts.putInto(out);
    return out.put("waiting", waiting.stream().map(WaitingJob::toJson).toList())
        .put("waitingTotal", waitingTotal)
        .put("atGate", atGate.stream().map(GatedJob::toJson).toList())
        .put("running", running.stream().map(LiveTask::toJson).toList())
        .put("runningTotal", runningTotal)
        .put("rates", rates.toJson())
        .put("models", models.stream().map(ModelLoad::toJson).toList());
  }

  /** Whether nothing but the time is different. */
  public boolean isSameAs(LiveState other) {
    return new LiveState(
            other.at, counts, waiting, waitingTotal, atGate, running, runningTotal, rates, models)
        .equals(other);
  }
}
