package dev.millrace.core.move;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.StoreException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Moves all jobs of a store to another one. Each job goes through four steps: it is taken out of
 * the one store, copied and compared while nobody sees it, published in the other store, and marked
 * as moved. A crash between any two leaves it claimable in one store or in none, and another run
 * continues from there.
 */
public final class JobMover {
  /** Notes that belong to the store rather than to a job. */
  private static final List<String> SHARED_NOTES = List.of("keys", "worker-types");

  private static final int PAGE = 20_000;

  private final MovableStore from;
  private final MovableStore to;
  private final String origin;
  private final MoveDestination destination;
  private final MoveListener listener;
  private final Map<JobId, String> left = new LinkedHashMap<>();
  private long moved;
  private long alreadyThere;
  private long takenBack;
  private long deleted;

  /**
   * @throws StoreException if both are the same store, or one is a copy of the other
   */
  public JobMover(MovableStore from, MovableStore to, MoveListener listener) {
    this.from = from;
    this.to = to;
    this.destination = new MoveDestination(to.identity(), to.name());
    this.origin = from.identity();
    this.listener = listener;
    if (origin.equals(destination.identity())) {
      throw new StoreException(
          from.name()
              + " and "
              + to.name()
              + " are the same store, or one is a copy of the other; give two different ones");
    }
  }

  /**
   * Moves the jobs.
   *
   * @param delete whether jobs that are marked as moved to this store are then deleted
   * @throws StoreException if one of the stores fails; another run continues
   */
  public MoveReport run(boolean delete) {
    List<TakenOutJob> onTheWay = onTheWay();
    takeBack();
    forgetArrivals(onTheWay);
    listener.started(from.counts().values().stream().mapToLong(count -> count).sum());
    onTheWay.forEach(this::finish);
    moveAll();
    copySharedNotes();
    if (delete) {
      deleteMoved();
    }
    return new MoveReport(moved, alreadyThere, takenBack, deleted, Map.copyOf(left));
  }

  /** Jobs that an earlier move has taken out and not marked. */
  private List<TakenOutJob> onTheWay() {
    List<TakenOutJob> found = new ArrayList<>();
    from.forEachTakenOut(
        job -> {
          if (!job.arrived()) {
            requireSameDestination(job);
            found.add(job);
          }
        });
    return found;
  }

  /** A job that may have arrived in one store must not be published in another. */
  private void requireSameDestination(TakenOutJob job) {
    if (!job.to().identity().equals(destination.identity())) {
      throw new OtherDestinationException(from.name(), job);
    }
  }

  /** Jobs on their way here that have not arrived stay in the store to which all others go. */
  private void takeBack() {
    List<TakenOutJob> back = new ArrayList<>();
    to.forEachTakenOut(
        job -> {
          if (!job.arrived() && job.to().identity().equals(origin)) {
            back.add(job);
          }
        });
    for (TakenOutJob job : back) {
      if (from.arrival(job, destination.identity()) == MovableStore.Arrival.ARRIVED) {
        to.markMoved(job);
        from.forgetArrival(job.id());
      } else {
        to.putBack(job);
        takenBack++;
      }
    }
  }

  /**
   * A crash may have come between a mark and the end of its note of arrival. The mark may not be
   * durable then, so it is made again first.
   */
  private void forgetArrivals(List<TakenOutJob> onTheWay) {
    Set<JobId> noted = new HashSet<>(to.arrivedFrom(origin));
    onTheWay.forEach(job -> noted.remove(job.id()));
    if (noted.isEmpty()) {
      return;
    }
    List<TakenOutJob> marked = new ArrayList<>();
    from.forEachTakenOut(
        job -> {
          if (job.arrived() && noted.contains(job.id())) {
            marked.add(job);
          }
        });
    marked.forEach(from::markMoved);
    noted.forEach(to::forgetArrival);
  }

  /** Until a pass finds nothing: jobs may be submitted meanwhile. */
  private void moveAll() {
    boolean again = true;
    while (again) {
      again = false;
      JobId last = null;
      for (List<JobId> page = from.jobs(null, PAGE); !page.isEmpty(); page = next(last)) {
        for (JobId id : page) {
          last = id;
          if (!left.containsKey(id)) {
            again |= move(id);
          }
        }
      }
    }
  }

  private List<JobId> next(@Nullable JobId last) {
    return from.jobs(last, PAGE);
  }

  /** Whether the job was there. */
  private boolean move(JobId id) {
    TakenOutJob job;
    try {
      job = from.takeOut(id, destination);
    } catch (UnmovableJobException | JobException e) {
      leave(id, String.valueOf(e.getMessage()));
      return true;
    }
    if (job != null) {
      finish(job);
    }
    return job != null;
  }

  private void finish(TakenOutJob job) {
    switch (to.arrival(job, origin)) {
      case ARRIVED -> {
        mark(job);
        alreadyThere++;
      }
      case OTHER -> putBack(job, "another job in " + to.name() + " has this id");
      case ABSENT -> copy(job);
    }
    listener.done(job.id());
  }

  private void mark(TakenOutJob job) {
    from.markMoved(job);
    to.forgetArrival(job.id());
  }

  private void copy(TakenOutJob job) {
    boolean published = false;
    try (JobAssembly assembly = to.assemble(job, origin)) {
      String problem = fill(assembly, job);
      published = problem == null;
      if (problem != null) {
        putBack(job, problem);
        return;
      }
      from.requireOwned(); // else another move may have finished this one, or taken the job back
      if (assembly.publish() || to.arrival(job, origin) == MovableStore.Arrival.ARRIVED) {
        mark(job);
        moved++;
      } else {
        putBack(job, "another job in " + to.name() + " has this id");
      }
    } catch (StoreException e) {
      if (!published) { // else it may have arrived
        putBackQuietly(job, e);
      }
      throw e;
    }
  }

  /** Copies and compares a job; why it cannot move, or null. */
  private @Nullable String fill(JobAssembly assembly, TakenOutJob job) {
    try {
      RecordDigest given = new RecordDigest();
      from.read(
          job,
          record -> {
            given.accept(record);
            assembly.accept(record);
          });
      assembly.complete();
      RecordDigest copied = new RecordDigest();
      assembly.readBack(copied);
      List<String> differences = given.differences(copied);
      return differences.isEmpty()
          ? null
          : "its copy differs and was not published (" + String.join("; ", differences) + ")";
    } catch (UnmovableJobException | JobException | IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException e) { // the content of one job may throw anything
      return "it cannot be copied: " + e;
    }
  }

  private void putBack(TakenOutJob job, String why) {
    from.requireOwned();
    from.putBack(job);
    leave(job.id(), why);
  }

  private void putBackQuietly(TakenOutJob job, StoreException reason) {
    try {
      from.putBack(job);
    } catch (StoreException e) {
      reason.addSuppressed(e); // the next run finds it on its way
    }
  }

  private void leave(JobId id, String why) {
    left.put(id, why);
  }

  /** Idempotency keys and the like; what the other store has of its own stays. */
  private void copySharedNotes() {
    NoteStore source = from.notes();
    NoteStore target = to.notes();
    for (String collection : SHARED_NOTES) {
      for (String name : source.noteNames(collection)) {
        source
            .readNote(collection, name)
            .filter(_ -> target.readNote(collection, name).isEmpty())
            .ifPresent(note -> target.writeNote(collection, name, note));
      }
    }
  }

  private void deleteMoved() {
    List<TakenOutJob> arrived = new ArrayList<>();
    from.forEachTakenOut(
        job -> {
          if (job.arrived() && job.to().identity().equals(destination.identity())) {
            arrived.add(job);
          }
        });
    for (TakenOutJob job : arrived) {
      from.deleteMoved(job);
      deleted++;
    }
  }
}
