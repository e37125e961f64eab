package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * One update of a job: facts recorded at one instant, each applied to the fold at once. The store
 * then appends {@link #entries} to the log; if that fails, it drops the fold and reads the log
 * again.
 */
public final class JobUpdate {

  /** Renders and stores the tasks of a stage with templates when it opens. */
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

  /**
   * The time of the clock, even if it is before the job's last entry. Backoffs are measured by it.
   */
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

  /** Records everything that follows from what was recorded. */
  public JobUpdate runCascade() {
    while (Cascade.next(fold, resolver).map(this::record).isPresent()) {
      // each fact may lead to the next one
    }
    return this;
  }

  public List<LogEntry> entries() {
    return List.copyOf(entries);
  }
}
