package dev.millrace.store.fs.internal.disk;

import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Directories and files with the durability of strict POSIX. A sync of a file makes its bytes
 * durable and not its name; a sync of a directory makes the changes of names in it durable, with
 * all earlier changes of the same names, wherever a rename took them from. Nothing else does.
 */
public final class SimFiles {

  /** Which changes of names survive a power loss. */
  public enum Loss {
    /** None that was not synced; of files, the synced bytes. */
    NOTHING_SURVIVES,
    /** All names and all bytes. */
    EVERYTHING_SURVIVES,
    /** The first few, in order, as a journalling file system keeps them; any bytes. */
    PREFIX_SURVIVES,
    /** Any that do not depend on a lost one; any bytes. */
    RANDOM_SURVIVES
  }

  /** A name in a directory that now leads elsewhere, or nowhere. */
  record Change(Inode directory, String name, @Nullable Inode to) {}

  /** Changes that happen together: both sides of a rename. */
  record Step(List<Change> changes) {
    boolean touches(Inode directory) {
      return changes.stream().anyMatch(change -> change.directory() == directory);
    }

    boolean sharesName(Step other) {
      return changes.stream()
          .anyMatch(
              mine ->
                  other.changes().stream()
                      .anyMatch(
                          its ->
                              its.directory() == mine.directory()
                                  && its.name().equals(mine.name())));
    }
  }

  private final Inode root;
  private final List<Step> pending = new ArrayList<>();
  private long ticks;

  SimFiles() {
    this(new Inode(Disk.Kind.DIRECTORY));
  }

  private SimFiles(Inode root) {
    this.root = root;
  }

  @Nullable Inode find(Path path) {
    Inode at = root;
    for (Path name : path) {
      at = at == null ? null : at.names.get(name.toString());
    }
    return at;
  }

  Inode get(Path path) throws NoSuchFileException {
    Inode found = find(path);
    if (found == null) {
      throw new NoSuchFileException(path.toString());
    }
    return found;
  }

  Inode parent(Path path) throws NoSuchFileException {
    Path parent = path.getParent();
    Inode found = parent == null ? null : find(parent);
    if (found == null || found.kind != Disk.Kind.DIRECTORY) {
      throw new NoSuchFileException(path.toString());
    }
    return found;
  }

  /** Changes names, not yet durably. */
  void change(Change... changes) {
    Step step = new Step(List.of(changes));
    apply(step, false);
    pending.add(step);
  }

  private void apply(Step step, boolean durably) {
    for (Change change : step.changes()) {
      Map<String, Inode> names =
          durably ? change.directory().syncedNames : change.directory().names;
      if (change.to() == null) {
        names.remove(change.name());
      } else {
        names.put(change.name(), change.to());
      }
      if (!durably) {
        change.directory().modified = Instant.ofEpochSecond(++ticks);
      }
    }
  }

  void syncNames(Inode directory) {
    BitSet chosen = new BitSet();
    for (int i = 0; i < pending.size(); i++) {
      chosen.set(i, pending.get(i).touches(directory));
    }
    keep(withEarlierOnes(chosen));
  }

  void syncAll() {
    Set<Inode> all = new HashSet<>();
    reach(root, all, false);
    all.forEach(Inode::sync);
    BitSet every = new BitSet();
    every.set(0, pending.size());
    keep(every);
  }

  /** Adds the earlier steps that the chosen ones depend on. */
  private BitSet withEarlierOnes(BitSet chosen) {
    for (int i = pending.size() - 1; i >= 0; i--) {
      for (int j = i - 1; chosen.get(i) && j >= 0; j--) {
        if (pending.get(j).sharesName(pending.get(i))) {
          chosen.set(j);
        }
      }
    }
    return chosen;
  }

  private void keep(BitSet chosen) {
    List<Step> rest = new ArrayList<>();
    for (int i = 0; i < pending.size(); i++) {
      if (chosen.get(i)) {
        apply(pending.get(i), true);
      } else {
        rest.add(pending.get(i));
      }
    }
    pending.clear();
    pending.addAll(rest);
  }

  private static void reach(Inode from, Set<Inode> into, boolean durably) {
    if (into.add(from)) {
      (durably ? from.syncedNames : from.names).values().forEach(to -> reach(to, into, durably));
    }
  }

  /** An independent copy. */
  SimFiles copy() {
    Map<Inode, Inode> copies = new IdentityHashMap<>();
    SimFiles copy = new SimFiles(copy(root, copies));
    copy.ticks = ticks;
    for (Step step : pending) {
      copy.pending.add(
          new Step(
              step.changes().stream()
                  .map(
                      change ->
                          new Change(
                              copy(change.directory(), copies),
                              change.name(),
                              change.to() == null ? null : copy(change.to(), copies)))
                  .toList()));
    }
    return copy;
  }

  private static Inode copy(Inode from, Map<Inode, Inode> copies) {
    Inode known = copies.get(from);
    if (known != null) {
      return known;
    }
    Inode copy = new Inode(from.kind);
    copies.put(from, copy);
    copy.take(from);
    from.names.forEach((name, to) -> copy.names.put(name, copy(to, copies)));
    from.syncedNames.forEach((name, to) -> copy.syncedNames.put(name, copy(to, copies)));
    return copy;
  }

  /** What the machine finds when it restarts. */
  SimFiles afterPowerLoss(Loss loss, RandomGenerator random) {
    SimFiles found = copy();
    found.keep(found.survivors(loss, random));
    found.pending.clear();
    Set<Inode> all = new LinkedHashSet<>(); // in an order that the same seed repeats
    reach(found.root, all, true);
    for (Inode inode : all) {
      inode.names.clear();
      inode.names.putAll(inode.syncedNames);
      inode.found(
          switch (loss) {
            case NOTHING_SURVIVES -> inode.synced();
            case EVERYTHING_SURVIVES -> inode.content();
            case PREFIX_SURVIVES, RANDOM_SURVIVES -> inode.maybe(random);
          });
    }
    return found;
  }

  private BitSet survivors(Loss loss, RandomGenerator random) {
    BitSet chosen = new BitSet();
    switch (loss) {
      case NOTHING_SURVIVES -> {}
      case EVERYTHING_SURVIVES -> chosen.set(0, pending.size());
      case PREFIX_SURVIVES -> chosen.set(0, random.nextInt(pending.size() + 1));
      case RANDOM_SURVIVES -> {
        for (int i = 0; i < pending.size(); i++) {
          chosen.set(i, random.nextInt(3) == 0);
        }
        withEarlierOnes(chosen);
      }
    }
    return chosen;
  }
}
