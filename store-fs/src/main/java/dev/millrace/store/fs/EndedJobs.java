package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Turn;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
  private final List<ReentrantLock> locks =
      Stream.generate(ReentrantLock::new).limit(64).toList();

  EndedJobs(Disk disk, Places places, GroupCommit commits, Supplier<Instant> clock) {
    this.disk = disk;
    this.places = places;
    this.commits = commits;
    this.clock = clock;
  }

  private interface Work<T> {
    T at(JobState place) throws IOException;
  }

  /** Empty if the job is not in a last place. */
  private <T> Optional<T> with(JobId id, Work<T> work) throws IOException {
    ReentrantLock lock = locks.get(Math.floorMod(id.hashCode(), locks.size()));
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

  /** Adds what the last place of a job proves and its log lacks; true if that was anything. */
  boolean complete(JobId id) throws IOException {
    Dirty dirty = new Dirty();
    Optional<Answer> answer = with(id, place -> append(id, place, NOTHING_MORE, dirty));
    boolean any = answer.isPresent() && !dirty.isEmpty();
    commits.commit(dirty);
    return any;
  }

  /** Lets a rule record what it will; empty if the job has not ended or is nowhere. */
  Optional<Answer> record(JobId id, Function<Turn, Answer> rule) throws IOException {
    Dirty dirty = new Dirty();
    Optional<Answer> answer =
        with(
            id,
            place -> {
              Answer done = append(id, place, rule, dirty);
              commits.enlist(dirty);
              return done;
            });
    commits.commit(dirty);
    return answer;
  }

  private Answer append(JobId id, JobState place, Function<Turn, Answer> rule, Dirty dirty)
      throws IOException {
    ActiveJob job = new ActiveJob(id, disk, places, place);
    Snapshot read = Snapshot.read(id, job.at(), place, job);
    List<Entry> entries =
        new ArrayList<>(
            read.reconcile(
                new Turn(read.fold(), read.time(clock.get()), Turn.Openings.NONE)));
    Turn turn = new Turn(read.fold(), clock.get(), Turn.Openings.NONE);
    Answer answer = rule.apply(turn);
    entries.addAll(turn.entries());
    if (!entries.isEmpty()) {
      dirty.add(Recovery.found(disk, places, read));
      job.unwritten().addAll(read.unwritten());
      Ledger.append(job, entries, dirty);
    }
    return answer;
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
