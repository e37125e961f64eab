package dev.millrace.store.fs;

import dev.millrace.core.store.Notebook;
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
final class Notes implements Notebook {
  private final Disk disk;
  private final Places places;
  private final GroupCommit commits;
  private final List<ReentrantLock> locks = Stream.generate(ReentrantLock::new).limit(64).toList();
  private final Set<String> named = ConcurrentHashMap.newKeySet();

  Notes(Disk disk, Places places, GroupCommit commits) {
    this.disk = disk;
    this.places = places;
    this.commits = commits;
  }

  private Path shelf(String shelf) {
    return places.own("notes").resolve(Notebook.requireName(shelf));
  }

  private Path file(String shelf, String name) {
    return shelf(shelf).resolve(Notebook.requireName(name));
  }

  @Override
  public Optional<String> note(String shelf, String name) {
    Path file = file(shelf, name);
    try {
      return Optional.of(Text.of(file, disk.read(file, MAX_BYTES)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw Failures.of("cannot read the note " + shelf + "/" + name, e);
    }
  }

  @Override
  public List<String> names(String shelf) {
    List<String> names = new ArrayList<>();
    try {
      disk.list(
          shelf(shelf),
          name -> {
            if (Notebook.isName(name)) { // else one that was never put in its place
              names.add(name);
            }
            return true;
          });
      return names;
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw Failures.of("cannot list the notes in " + shelf, e);
    }
  }

  @Override
  public void keep(String shelf, String name, String text) {
    Path file = file(shelf, name);
    byte[] bytes = Text.bytes(Notebook.requireText(text));
    ReentrantLock lock = locks.get(Math.floorMod(file.hashCode(), locks.size()));
    lock.lock(); // two at once must not write into one file
    try {
      Dirty dirty = new Dirty();
      directories(shelf, dirty);
      Path temporary = file.resolveSibling(name + ".tmp");
      disk.write(temporary, bytes);
      commits.commit(dirty.file(temporary));
      named.add(shelf);
      disk.rename(temporary, file);
      commits.commit(dirty.directory(file.getParent()));
    } catch (IOException e) {
      throw Failures.of("cannot keep the note " + shelf + "/" + name, e);
    } finally {
      lock.unlock();
    }
  }

  /** Whoever made them before us may have been killed before their names were synced. */
  private void directories(String shelf, Dirty dirty) throws IOException {
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
        dirty.directory(each.getParent());
      }
    }
  }

  @Override
  public void drop(String shelf, String name) {
    Path file = file(shelf, name);
    try {
      disk.delete(file);
    } catch (NoSuchFileException e) {
      // gone is what it should be
    } catch (IOException e) {
      throw Failures.of("cannot drop the note " + shelf + "/" + name, e);
    }
  }
}
