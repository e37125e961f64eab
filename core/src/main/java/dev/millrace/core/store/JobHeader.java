package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobLabels;
import dev.millrace.core.job.JobRelations;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a job that exist in every state, as submitted and with what users changed since.
 */
public record JobHeader(
    JobId id,
    JobLabels labels,
    JobRelations relations,
    Priority priority,
    boolean open,
    @Nullable TraceContext trace,
    List<Webhook> webhooks) {

  public static JobHeader of(JobId id, JobSpec spec) {
    return new JobHeader(
        id,
        spec.labels(),
        spec.relations(),
        spec.priority(),
        spec.open(),
        spec.trace(),
        spec.webhooks());
  }

  /** The same with what users changed; null: unchanged. */
  public JobHeader withChanges(@Nullable Priority newPriority, @Nullable JsonObject newMetadata) {
    return new JobHeader(
        id,
        newMetadata == null ? labels : labels.withMetadata(newMetadata),
        relations,
        newPriority == null ? priority : newPriority,
        open,
        trace,
        webhooks);
  }

  /** The trace of its work: its own, or one that its id implies. */
  public TraceContext effectiveTrace() {
    return trace != null && trace.isStarted() ? trace : TraceContext.derivedFrom(id.value());
  }

  public @Nullable String name() {
    return labels.name();
  }

  public List<String> tags() {
    return labels.tags();
  }

  public JsonObject metadata() {
    return labels.metadata();
  }

  public JsonObject data() {
    return labels.data();
  }

  public @Nullable JobId parent() {
    return relations.parent();
  }

  public @Nullable JobId retryOf() {
    return relations.retryOf();
  }

  public @Nullable String submittedBy() {
    return relations.submittedBy();
  }
}
