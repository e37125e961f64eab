package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Removes directories with what is in them. Links are removed, never followed. */
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
      // gone is what it should be
    }
  }
}
