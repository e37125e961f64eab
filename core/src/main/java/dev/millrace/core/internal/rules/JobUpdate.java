package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.time.Moment;
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
  private final Moment now;
  private final TemplateResolver resolver;
  private final List<LogEntry> entries = new ArrayList<>();

  public JobUpdate(JobFold fold, Moment now, TemplateResolver resolver) {
    this.fold = fold;
    // A clock that jumped back must not make the log's times run backwards.
    this.now = now.wall().isBefore(fold.lastAt()) ? new Moment(fold.lastAt(), now.steady()) : now;
    this.resolver = resolver;
  }

  /** For those who only read, and for a log that is written at once. */
  public JobUpdate(JobFold fold, Instant now, TemplateResolver resolver) {
    this(fold, Moment.of(now), resolver);
  }

  public JobFold fold() {
    return fold;
  }

  /** The time of its entries: wall time that never decreases. */
  public Instant now() {
    return now.wall();
  }

  /** The time that decides what is due, whatever the wall clock says. */
  public Instant steadyNow() {
    return now.steady();
  }

  TemplateResolver templateResolver() {
    return resolver;
  }

  public LogEntry record(Fact fact) {
    LogEntry entry = new LogEntry(fold.lastNumber() + 1, now.wall(), fact);
    fold.apply(entry, now.steady());
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
