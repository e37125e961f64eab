package dev.millrace.store.fs.internal.files;

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
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Notes as files in {@code .millrace/notes/<shelf>/<name>}, each replaced by a rename. Thread-safe.
 */
public final class NoteFiles implements NoteStore {
  private final Disk disk;
  private final WorkspaceLayout places;
  private final GroupCommit commits;
  private final List<ReentrantLock> locks = Stream.generate(ReentrantLock::new).limit(64).toList();
  private final Set<String> named = ConcurrentHashMap.newKeySet();

  public NoteFiles(Disk disk, WorkspaceLayout places, GroupCommit commits) {
    this.disk = disk;
    this.places = places;
    this.commits = commits;
  }

  private Path shelf(String shelf) {
    return places.internalPath("notes").resolve(NoteStore.requireName(shelf));
  }

  private Path file(String shelf, String name) {
    return shelf(shelf).resolve(NoteStore.requireName(name));
  }

  @Override
  public Optional<String> readNote(String shelf, String name) {
    Path file = file(shelf, name);
    try {
      return Optional.of(StrictUtf8.of(file, disk.read(file, MAX_BYTES)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StoreErrors.of("cannot read the note " + shelf + "/" + name, e);
    }
  }

  @Override
  public List<String> noteNames(String shelf) {
    List<String> names = new ArrayList<>();
    try {
      disk.list(
          shelf(shelf),
          name -> {
            if (NoteStore.isName(name)) { // else one that was never put in its place
              names.add(name);
            }
            return true;
          });
      return names;
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw StoreErrors.of("cannot list the notes in " + shelf, e);
    }
  }

  @Override
  public void writeNote(String shelf, String name, String text) {
    Path file = file(shelf, name);
    byte[] bytes = StrictUtf8.bytes(NoteStore.requireText(text));
    ReentrantLock lock = locks.get(Math.floorMod(file.hashCode(), locks.size()));
    lock.lock(); // two at once must not write into one file
    try {
      UnsyncedChanges dirty = new UnsyncedChanges();
      directories(shelf, dirty);
      Path temporary = file.resolveSibling(name + ".tmp");
      disk.write(temporary, bytes);
      commits.commit(dirty.addFile(temporary));
      named.add(shelf);
      disk.rename(temporary, file);
      commits.commit(dirty.addDirectory(file.getParent()));
    } catch (IOException e) {
      throw StoreErrors.of("cannot keep the note " + shelf + "/" + name, e);
    } finally {
      lock.unlock();
    }
  }

  /** Whoever made them before us may have been killed before their names were synced. */
  private void directories(String shelf, UnsyncedChanges dirty) throws IOException {
    Path dir = shelf(shelf);
    if (!named.contains(shelf) || disk.kind(dir) != Disk.Kind.DIRECTORY) {
      for (Path each : List.of(dir.getParent(), dir)) {
        try {
          if (disk.kind(each) == Disk.Kind.NOTHING) {
            disk.createDirectory(each);
          }
        } catch (FileAlreadyExistsException e) {
          // another was quicker
        }
        dirty.addDirectory(each.getParent());
      }
    }
  }

  @Override
  public void deleteNote(String shelf, String name) {
    Path file = file(shelf, name);
    try {
      disk.delete(file);
    } catch (NoSuchFileException e) {
      // gone is what it should be
    } catch (IOException e) {
      throw StoreErrors.of("cannot drop the note " + shelf + "/" + name, e);
    }
  }
}
