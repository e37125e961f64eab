package dev.millrace.http.tracing;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TraceContext;
import dev.millrace.server.TaskListener;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskTraceLookup;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Creates a span for each attempt of a built-in worker, as a child of the trace context of the
 * task, its stage or its job. It links the span with the job's trace if the task has another one.
 */
final class TaskSpans implements TaskListener {
  private record Key(JobId job, ClaimKey hold) {
    static Key of(Claim claim) {
      return new Key(claim.job(), claim.key());
    }
  }

  private final Tracer tracer;
  private final JobReader store;
  private final Map<Key, Span> open = new ConcurrentHashMap<>();

  TaskSpans(Tracer tracer, JobReader store) {
    this.tracer = tracer;
    this.store = store;
  }

  @Override
  public void started(Claim claim) {
    TraceContext given = TaskTraceLookup.of(store, claim);
    SpanBuilder builder =
        tracer
            .spanBuilder("process " + claim.type())
            .setSpanKind(SpanKind.CONSUMER)
            .setParent(TraceContextConverter.parent(given))
            .setAttribute("millrace.job", claim.job().value())
            .setAttribute("millrace.stage", (long) claim.key().stage())
            .setAttribute("millrace.task", (long) claim.key().task())
            .setAttribute("millrace.type", claim.type())
            .setAttribute("millrace.attempt", (long) claim.attempt());
    if (claim.view().trace() != null) {
      store
          .find(claim.job())
          .map(job -> job.header().trace())
          .filter(trace -> !trace.equals(given))
          .ifPresent(trace -> builder.addLink(TraceContextConverter.spanContext(trace)));
    }
    open.put(Key.of(claim), builder.startSpan());
  }

  @Override
  public @Nullable TraceContext trace(Claim claim) {
    Span span = open.get(Key.of(claim));
    return span == null ? null : TraceContextConverter.of(span);
  }

  @Override
  public void finished(Claim claim, TaskOutcome outcome, Outcome result) {
    Span span = open.remove(Key.of(claim));
    if (span == null) {
      return;
    }
    switch (outcome) {
      case TaskOutcome.Done _ -> span.setAttribute("millrace.outcome", "completed");
      case TaskOutcome.Failed(Failure failure) -> {
        span.setAttribute("millrace.outcome", "failed");
        span.setStatus(StatusCode.ERROR, failure.message());
      }
      case TaskOutcome.Released _ -> span.setAttribute("millrace.outcome", "released");
    }
    span.setAttribute("millrace.answer", result.getClass().getSimpleName());
    span.end();
  }
}
