package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Moves;
import dev.millrace.core.rules.Turn;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the owner still does to jobs in their last places: completes a log, adds to it, takes the
 * job away. One at a time for each job; who comes here has seen that it is not in memory, and a job
 * that has ended never is again.
 */
final class EndedJobs {
  private static final Function<Turn, Answer> NOTHING_MORE = _ -> Answer.DONE;

  private final Disk disk;
  private final Places places;
  private final GroupCommit commits;
  private final Supplier<Instant> clock;
  private final List<ReentrantLock> locks = Stream.generate(ReentrantLock::new).limit(64).toList();
  private final Recent<Snapshot> seen = new Recent<>();

  /** Which sync makes durable what was last added to a job. */
  private final Map<JobId, Long> unsynced = new ConcurrentHashMap<>();

  EndedJobs(Disk disk, Places places, GroupCommit commits, Supplier<Instant> clock) {
    this.disk = disk;
    this.places = places;
    this.commits = commits;
    this.clock = clock;
  }

  private interface Work<T> {
    T at(JobState place) throws IOException;
  }

  private ReentrantLock lock(JobId id) {
    return locks.get(Math.floorMod(id.hashCode(), locks.size()));
  }

  /** Empty if the job is not in a last place. */
  private <T> Optional<T> with(JobId id, Work<T> work) throws IOException {
    ReentrantLock lock = lock(id);
    lock.lock();
    try {
      Optional<JobState> place = places.look(disk, id);
      return place.isEmpty() || !place.get().isFinal()
          ? Optional.empty()
          : Optional.of(work.at(place.get()));
    } catch (NoSuchFileException e) {
      if (places.look(disk, id).isPresent()) {
        throw e;
      }
      return Optional.empty(); // a hand has taken it away
    } finally {
      lock.unlock();
    }
  }

  /**
   * What became of a rule.
   *
   * @param changed whether anything was added to the job's log
   */
  record Recorded(Answer answer, boolean changed) {}

  /** Adds what the last place of a job proves and its log lacks; true if that was anything. */
  boolean complete(JobId id) throws IOException {
    return record(id, NOTHING_MORE).map(Recorded::changed).orElse(false);
  }

  /** Lets a rule record what it will; empty if the job has not ended or is nowhere. */
  Optional<Recorded> record(JobId id, Function<Turn, Answer> rule) throws IOException {
    Dirty dirty = new Dirty();
    Optional<Recorded> answer =
        with(
            id,
            place -> {
              try {
                return append(id, place, rule, dirty);
              } finally {
                if (!dirty.isEmpty()) {
                  commits.enlist(dirty);
                  unsynced.put(id, dirty.batch());
                }
              }
            });
    commits.commit(dirty);
    unsynced.remove(id, dirty.batch());
    return answer;
  }

  /** Returns once all is durable that can be read of a job by now. */
  void settle(JobId id) {
    ReentrantLock lock = lock(id);
    lock.lock(); // whoever adds to its log has told us how much then
    Long batch;
    try {
      batch = unsynced.get(id);
    } finally {
      lock.unlock();
    }
    if (batch != null) {
      commits.await(batch);
    }
  }

  private Recorded append(JobId id, JobState place, Function<Turn, Answer> rule, Dirty dirty)
      throws IOException {
    ActiveJob job = new ActiveJob(id, disk, places, place);
    Snapshot found = Snapshot.read(id, job.at(), place, Moves.IGNORED, seen.get(id), null);
    if (found.log().length() > 0) {
      seen.put(id, found, found.size());
    }
    Snapshot read = found.copy();
    List<Entry> entries =
        new ArrayList<>(
            read.reconcile(new Turn(read.fold(), read.time(clock.get()), Turn.Openings.NONE)));
    Turn turn = new Turn(read.fold(), clock.get(), Turn.Openings.NONE);
    Answer answer = rule.apply(turn);
    entries.addAll(turn.entries());
    if (!entries.isEmpty()) {
      dirty.add(Recovery.found(disk, places, read));
      job.unwritten().addAll(read.unwritten());
      Ledger.append(job, entries, dirty);
    }
    return new Recorded(answer, !entries.isEmpty());
  }

  /** Moves a job out of sight, to be deleted; empty if it has not ended or is nowhere. */
  Optional<Path> remove(JobId id, Dirty dirty) throws IOException {
    return with(
        id,
        place -> {
          Path trash = places.own("trash").resolve(id.value());
          Trees.delete(disk, trash); // of one that had the same id
          disk.rename(places.of(place, id), trash);
          dirty.directory(places.of(place)).directory(places.own("trash"));
          return trash;
        });
  }
}
