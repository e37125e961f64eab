package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Deletes directories with their content. Links are deleted, never followed. */
public final class DirectoryDeleter {
  private DirectoryDeleter() {}

  public static void delete(Disk disk, Path path) throws IOException {
    try {
      if (disk.kind(path) == Disk.Kind.DIRECTORY) {
        List<String> names = new ArrayList<>();
        disk.list(path, names::add);
        for (String name : names) {
          delete(disk, path.resolve(name));
        }
      }
      disk.delete(path);
    } catch (NoSuchFileException e) {
      // already deleted
    }
  }
}
