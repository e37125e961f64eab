package dev.millrace.core.rules;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * One step of a job: facts recorded at one instant, each applied to the fold as it is recorded. The
 * store then appends {@link #entries} to the log; if it cannot, it forgets the fold and reads the
 * log again.
 */
public final class Turn {

  /** Resolves the templates of a stage that opens: renders and keeps its tasks. */
  @FunctionalInterface
  public interface Openings {
    /** For jobs without templates. */
    Openings NONE =
        stage -> {
          throw new IllegalStateException("stage " + stage.number() + " has templates");
        };

    Fact.Opening open(StageFold stage);
  }

  private final JobFold fold;
  private final Instant clock;
  private final Instant now;
  private final Openings openings;
  private final List<Entry> entries = new ArrayList<>();

  public Turn(JobFold fold, Instant now, Openings openings) {
    this.fold = fold;
    this.clock = now;
    // A clock that jumped back must not make the log's times run backwards.
    this.now = now.isBefore(fold.lastAt()) ? fold.lastAt() : now;
    this.openings = openings;
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

  Openings openings() {
    return openings;
  }

  public Entry record(Fact fact) {
    Entry entry = new Entry(fold.lastNumber() + 1, now, fact);
    fold.apply(entry);
    entries.add(entry);
    return entry;
  }

  /** Lets everything happen that follows from what was recorded. */
  public Turn settle() {
    while (Cascade.next(fold, openings).map(this::record).isPresent()) {
      // each fact may bring the next one about
    }
    return this;
  }

  public List<Entry> entries() {
    return List.copyOf(entries);
  }
}
