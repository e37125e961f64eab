package dev.millrace.store.fs;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBroken;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests of other processes to the owner. A request is a file in {@code inbox/}; its answer is a
 * file of the same name in {@code answers/}, which whoever asked removes.
 */
final class Inbox {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final int MAX_BYTES = 64_000_000;

  private final Disk disk;
  private final Places places;
  private final JobStore store;

  Inbox(Disk disk, Places places, JobStore store) {
    this.disk = disk;
    this.places = places;
    this.store = store;
  }

  synchronized void processAll() {
    try {
      List<String> names = new ArrayList<>();
      disk.list(places.own("inbox"), names::add);
      names.stream().sorted().filter(name -> name.endsWith(".json")).forEach(this::process);
    } catch (IOException e) {
      LOG.log(Level.ERROR, "cannot read the inbox: " + Failures.explain(e));
    }
  }

  private void process(String name) {
    Path file = places.own("inbox").resolve(name);
    try {
      Object answer;
      try {
        answer = Request.read(Text.of(file, disk.read(file, MAX_BYTES))).run(store);
      } catch (NoSuchFileException e) {
        return; // withdrawn
      } catch (StoreBroken e) {
        throw e;
      } catch (RuntimeException | Disk.FileTooLarge | Disk.NotRegular | JobFiles.Malformed e) {
        answer = e instanceof RuntimeException known ? known : new JsonException(e.getMessage());
      }
      if (disk.kind(file) == Disk.Kind.NOTHING) {
        return; // whoever asked has given up, and would not remove the answer
      }
      Path temporary = places.own("answers").resolve(name + ".tmp");
      disk.write(temporary, Text.bytes(Reply.write(answer)));
      disk.rename(temporary, places.own("answers").resolve(name));
      Trees.delete(disk, file);
    } catch (IOException e) {
      LOG.log(Level.ERROR, "cannot answer the request " + name + ": " + Failures.explain(e));
    }
  }
}
