package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * What a worker says of a task it holds. It counts if its claim does; what repeats an answer that
 * was accepted is accepted again, for its worker may not have heard so.
 */
final class Answers {
  private final JobStore store;
  private final Holds holds;

  Answers(JobStore store, Holds holds) {
    this.store = store;
    this.holds = holds;
  }

  /** COMPLETED or FAILED. */
  void settle(EntityId id, JsonObject said) {
    Outcome outcome = Outcome.read(said);
    Hold hold = holds.find(id, token(said));
    if (hold.claim() != null) {
      if (outcome.tell(store, hold.claim()).done()) {
        return;
      }
      hold = holds.ended(id, hold.token()); // between the look and the answer
    }
    if (hold.mine() && outcome.ended(hold.task())) {
      return;
    }
    Claim former = hold.former();
    if (former != null) {
      outcome.tell(store, former); // who keeps it as partial output
    }
    throw hold.refusal(outcome.to());
  }

  /** Back to the queue; costs no attempt. */
  void release(EntityId id, JsonObject said) {
    Hold hold = holds.find(id, token(said));
    if (hold.claim() != null) {
      if (store.release(hold.claim(), said.string("reason", "its worker gave it back")).done()) {
        return;
      }
      hold = holds.ended(id, hold.token());
    }
    boolean released = hold.task().state() == TaskState.RETRIED && hold.task().notBefore() == null;
    if (!released || !hold.mine()) {
      throw hold.refusal(TaskState.RETRIED);
    }
  }

  /** Renews the lease, and says what the worker is to do. */
  JsonObject heartbeat(EntityId id, JsonObject said) {
    Hold hold = holds.find(id, token(said));
    Claim claim = hold.claim() == null ? hold.former() : hold.claim();
    Pulse pulse = claim == null ? Pulse.LOST : store.heartbeat(claim, said.flag("progress", false));
    if (claim == null || pulse == Pulse.LOST) {
      throw hold.lost();
    }
    return JsonObject.create()
        .put("cancel", pulse == Pulse.CANCEL)
        .put("pause", pulse == Pulse.PAUSE)
        .put("leaseSeconds", leaseSeconds(claim))
        .putIfPresent("reason", reason(pulse));
  }

  /** Of what has ended, or needs no sign of life, as good as none. */
  private static long leaseSeconds(Claim claim) {
    return claim.lease() == null ? 1 : Math.max(1, claim.lease().toSeconds());
  }

  private static @Nullable String reason(Pulse pulse) {
    return switch (pulse) {
      case CANCEL -> "the task's job has ended; what is said of the task is kept as partial output";
      case PAUSE -> "the task's job or stage is on hold; release the task, or go on with it";
      case CONTINUE, LOST -> null;
    };
  }

  void log(EntityId id, JsonObject said) {
    Hold hold = holds.find(id, token(said));
    Claim claim = hold.claim();
    if (claim == null) {
      throw hold.lost();
    }
    for (Object one : said.list("lines")) {
      JsonObject line = JsonObject.of(one, "line");
      store.log(claim, line.string("level", "info"), line.string("line"));
    }
  }

  private static @Nullable String token(JsonObject said) {
    return said.string("token", null);
  }
}
