package dev.millrace.http.live;

import dev.millrace.api.live.TaskOutput;
import dev.millrace.api.live.TaskOutputEnd;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.job.JobSignals;
import dev.millrace.http.job.JobSignals.Watch;
import dev.millrace.http.job.OutputPacer;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.stream.EventStream;
import dev.millrace.http.transport.ClientGoneException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Sends the text of one task as it comes, and then how the task ended. The store is read when its
 * job has changed or has more output; for the output of another server, now and then.
 */
final class TaskOutputStream implements EventStream.Source {
  /** The shortest time between two looks at the store. */
  private static final Duration PACE = Duration.ofMillis(50);

  /** How often it looks for its client while nothing happens. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final JobReader store;
  private final JobSignals signals;
  private final ApiRequest call;
  private final EntityId task;
  private long position;
  private boolean sent; // any output
  private TaskState state = TaskState.CREATED;

  private TaskOutputStream(ApiRequest call, EntityLookup lookup, JobSignals signals) {
    this.store = lookup.store();
    this.signals = signals;
    this.call = call;
    this.task = lookup.taskId(call.pathParameter("taskId"));
    this.position = position(call);
    this.state = lookup.task(task).state();
  }

  static ApiResponse of(ApiRequest call, EntityLookup lookup, JobSignals signals) {
    return EventStream.response(new TaskOutputStream(call, lookup, signals), null);
  }

  /** A client that connects again says with a header where it was. */
  private static long position(ApiRequest call) {
    String last = call.header("Last-Event-ID").orElse("");
    return last.isEmpty()
        ? position("query/from", call.query("from").orElse("0"))
        : position("headers/Last-Event-ID", last);
  }

  private static long position(String where, String text) {
    try {
      if (text.matches("\\d+")) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException e) {
      // too large for a position
    }
    throw JobnikProblems.invalid(
        "request/"
            + where
            + " must be the id of an event of this stream, or \"next\" of its data; leave it out to"
            + " begin at the start");
  }

  @Override
  public void write(EventStream events) throws IOException, InterruptedException {
    events.retryAfter(LOOK);
    OutputPacer pacer = new OutputPacer(signals.missOutput());
    long lastSent = System.nanoTime();
    try (Watch watch = signals.watch(task.job())) {
      Look look = look(events);
      while (look != Look.END) {
        lastSent = look == Look.NEWS ? System.nanoTime() : lastSent;
        TimeUnit.NANOSECONDS.sleep(PACE.toNanos());
        boolean told = watch.await(wait(pacer, look));
        if (call.isClientGone()) {
          throw new ClientGoneException(false, null);
        }
        boolean silent = System.nanoTime() - lastSent >= EventStream.KEEP_ALIVE_INTERVAL.toNanos();
        if (silent) {
          events.keepAlive();
          lastSent = System.nanoTime();
        }
        look = told || silent || mayHaveMore(look) ? look(events) : Look.NOTHING;
      }
    }
  }

  /** Whether there may be more that nobody tells of. A look at a large task costs much. */
  private boolean mayHaveMore(Look last) {
    return last != Look.NOTHING || signals.missOutput();
  }

  private Duration wait(OutputPacer pacer, Look look) {
    return look == Look.FAILED
        ? pacer.waitAfterFailure(LOOK)
        : pacer.wait(state == TaskState.IN_PROGRESS, look == Look.NEWS, LOOK);
  }

  /** What a look at the store has found. */
  private enum Look {
    NEWS,
    NOTHING,
    FAILED,
    END
  }

  private Look look(EventStream events) throws IOException {
    try {
      return advance(events);
    } catch (StoreException e) {
      if (e.trouble() != Trouble.FAILING) {
        throw e;
      }
      return Look.FAILED; // a database that restarts may soon work again
    }
  }

  /** The task's state is read only when there is no more output. */
  private Look advance(EventStream events) throws IOException {
    if (!state.isFinal() && sendOutput(events)) {
      return Look.NEWS;
    }
    Optional<TaskView> now = store.task(task.job(), task.stage(), task.task());
    if (now.isEmpty()) {
      events.comment("the job was deleted");
      return Look.END;
    }
    state = now.get().state();
    if (!state.isFinal()) {
      return Look.NOTHING;
    }
    if (state != TaskState.COMPLETED) {
      sendRest(events);
    }
    sendEnd(events, now.get());
    return Look.END;
  }

  /** Sends what was journaled since; false if nothing was. */
  private boolean sendOutput(EventStream events) throws IOException {
    OutputSoFar more = store.outputSoFar(task.job(), task.stage(), task.task(), position);
    if (more.pieces().isEmpty()) {
      return false;
    }
    boolean restarted = more.from() < position;
    position = more.next();
    send(events, new TaskOutput(more.from(), position, more.text(), restarted));
    return true;
  }

  private void send(EventStream events, TaskOutput output) throws IOException {
    events.event("output", Long.toString(output.next()), output.toJson());
    sent = true;
  }

  /** A task that ended without a result: what it left, where the client has not got it. */
  private void sendRest(EventStream events) throws IOException {
    if (!sent && position == 0) {
      Optional<String> partial = store.partialOutput(task.job(), task.stage(), task.task());
      if (partial.isPresent()) {
        call.reserveMemory(partial.get().length());
        send(events, new TaskOutput(0, 0, partial.get(), false));
      }
      return;
    }
    boolean more = true;
    while (more) {
      more = sendOutput(events);
    }
  }

  private void sendEnd(EventStream events, TaskView ended) throws IOException {
    TaskResult result = ended.result();
    JsonObject end =
        new TaskOutputEnd(state, result == null ? null : result.text(), ended.error()).toJson();
    call.reserveMemory(JsonTextSize.of(end));
    events.event("end", null, end);
  }
}
