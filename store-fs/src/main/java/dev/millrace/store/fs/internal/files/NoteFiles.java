package dev.millrace.store.fs.internal.files;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.store.NoteStore;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Notes as files in {@code .millrace/notes/<collection>/<name>}, each replaced by a rename.
 * Thread-safe.
 */
public final class NoteFiles implements NoteStore {
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private static final AtomicLong WRITERS = new AtomicLong();

  /** Of temporary files: another process may write the same note at the same time. */
  private final String suffix =
      "." + ProcessHandle.current().pid() + "-" + WRITERS.incrementAndGet() + ".tmp";

  private final List<ReentrantLock> locks;
  private final Set<String> named = ConcurrentHashMap.newKeySet();

  public NoteFiles(Disk disk, WorkspaceLayout layout, GroupCommit commits, Threading threading) {
    this.disk = disk;
    this.layout = layout;
    this.commits = commits;
    this.locks = threading.newLocks(64);
  }

  private Path shelf(String collection) {
    return layout.internalPath("notes").resolve(NoteStore.requireName(collection));
  }

  private Path file(String collection, String name) {
    return shelf(collection).resolve(NoteStore.requireName(name));
  }

  @Override
  public Optional<String> readNote(String collection, String name) {
    Path file = file(collection, name);
    try {
      return Optional.of(StrictUtf8.of(file, disk.read(file, MAX_BYTES)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StoreErrors.of("cannot read the note " + collection + "/" + name, e);
    }
  }

  /**
   * Whether there is such a note; if so, it is durable when this returns, also if another process
   * wrote it.
   */
  public boolean isKept(String collection, String name) {
    Path file = file(collection, name);
    try {
      if (disk.kind(file) != Disk.Kind.FILE) {
        return false;
      }
      UnsyncedChanges found = new UnsyncedChanges().addFile(file);
      for (Path dir = file.getParent(); !dir.equals(layout.root()); dir = dir.getParent()) {
        found.addDirectory(dir);
      }
      commits.commit(found);
      return true;
    } catch (IOException e) {
      throw StoreErrors.of("cannot read the note " + collection + "/" + name, e);
    }
  }

  @Override
  public List<String> noteNames(String collection) {
    List<String> names = new ArrayList<>();
    try {
      disk.list(
          shelf(collection),
          name -> {
            if (NoteStore.isName(name)) { // else a temporary file that was never renamed
              names.add(name);
            }
            return true;
          });
      return names;
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw StoreErrors.of("cannot list the notes in " + collection, e);
    }
  }

  @Override
  public void writeNote(String collection, String name, String text) {
    Path file = file(collection, name);
    byte[] bytes = StrictUtf8.bytes(NoteStore.requireText(text));
    ReentrantLock lock = locks.get(Math.floorMod(file.hashCode(), locks.size()));
    lock.lock(); // two threads must not write to the same file
    try {
      UnsyncedChanges unsynced = new UnsyncedChanges();
      directories(collection, unsynced);
      Path temporary = file.resolveSibling(name + suffix);
      disk.write(temporary, bytes);
      commits.commit(unsynced.addFile(temporary));
      named.add(collection);
      disk.rename(temporary, file);
      commits.commit(unsynced.addDirectory(file.getParent()));
    } catch (IOException e) {
      throw StoreErrors.of("cannot write the note " + collection + "/" + name, e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The note has its own name at once, and is enlisted: it needs no sync of its own, because each
   * later commit of this process waits for the sync that it is in. No other process writes notes.
   */
  @Override
  public boolean writeNoteAhead(
      String collection, String name, @Nullable String known, String text) {
    Path file = file(collection, name);
    byte[] bytes = StrictUtf8.bytes(NoteStore.requireText(text));
    ReentrantLock lock = locks.get(Math.floorMod(file.hashCode(), locks.size()));
    lock.lock();
    try {
      UnsyncedChanges created = new UnsyncedChanges();
      directories(collection, created);
      if (!created.isEmpty()) {
        commits.commit(created);
        named.add(collection);
      }
      disk.write(file, bytes);
      commits.enlist(new UnsyncedChanges().addFile(file).addDirectory(file.getParent()));
      return true;
    } catch (IOException e) {
      throw StoreErrors.of("cannot write the note " + collection + "/" + name, e);
    } finally {
      lock.unlock();
    }
  }

  /** The process that created them may have been killed before their names were synced. */
  private void directories(String collection, UnsyncedChanges unsynced) throws IOException {
    Path dir = shelf(collection);
    if (!named.contains(collection) || disk.kind(dir) != Disk.Kind.DIRECTORY) {
      for (Path each : List.of(dir.getParent(), dir)) {
        try {
          if (disk.kind(each) == Disk.Kind.NOTHING) {
            disk.createDirectory(each);
          }
        } catch (FileAlreadyExistsException e) {
          // another process created it
        }
        unsynced.addDirectory(each.getParent());
      }
    }
  }

  @Override
  public void deleteNote(String collection, String name) {
    Path file = file(collection, name);
    try {
      disk.delete(file);
    } catch (NoSuchFileException e) {
      // already deleted
    } catch (IOException e) {
      throw StoreErrors.of("cannot delete the note " + collection + "/" + name, e);
    }
  }
}
