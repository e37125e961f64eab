package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * One step of a job: facts recorded at one instant, each applied to the fold as it is recorded. The
 * store then appends {@link #entries} to the log; if it cannot, it forgets the fold and reads the
 * log again.
 */
public final class JobUpdate {

  /** Resolves the templates of a stage that opens: renders and keeps its tasks. */
  @FunctionalInterface
  public interface TemplateResolver {
    /** For jobs without templates. */
    TemplateResolver NONE =
        stage -> {
          throw new IllegalStateException("stage " + stage.number() + " has templates");
        };

    Fact.Opening resolve(StageFold stage);
  }

  private final JobFold fold;
  private final Instant clock;
  private final Instant now;
  private final TemplateResolver resolver;
  private final List<LogEntry> entries = new ArrayList<>();

  public JobUpdate(JobFold fold, Instant now, TemplateResolver resolver) {
    this.fold = fold;
    this.clock = now;
    // A clock that jumped back must not make the log's times run backwards.
    this.now = now.isBefore(fold.lastAt()) ? fold.lastAt() : now;
    this.resolver = resolver;
  }

  public JobFold fold() {
    return fold;
  }

  public Instant now() {
    return now;
  }

  /** What the clock says, be it before the job's last entry: waits are judged by it. */
  Instant clock() {
    return clock;
  }

  TemplateResolver templateResolver() {
    return resolver;
  }

  public LogEntry record(Fact fact) {
    LogEntry entry = new LogEntry(fold.lastNumber() + 1, now, fact);
    fold.apply(entry);
    entries.add(entry);
    return entry;
  }

  /** Lets everything happen that follows from what was recorded. */
  public JobUpdate runCascade() {
    while (Cascade.next(fold, resolver).map(this::record).isPresent()) {
      // each fact may bring the next one about
    }
    return this;
  }

  public List<LogEntry> entries() {
    return List.copyOf(entries);
  }
}
