package dev.millrace.store.fs;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.OwnerLock;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.files.StoreErrors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The owner of a workspace as found at one moment. Only the lock decides whether there is an owner;
 * the files beside it give details.
 *
 * @param held whether a process holds the lock
 * @param ready whether that process has announced itself
 * @param pid of that process, if it could be read
 * @param info what it announced
 */
public record OwnerStatus(boolean held, boolean ready, OptionalLong pid, JsonObject info) {
  private static final String PID = ".nrvnad.pid";
  private static final String READY = ".nrvnad.ready";
  private static final String INFO = ".nrvnad.info";

  static OwnerStatus of(Path root) {
    try {
      if (!OwnerLock.isHeld(root)) {
        return new OwnerStatus(false, false, OptionalLong.empty(), JsonObject.create());
      }
      return new OwnerStatus(true, Files.exists(root.resolve(READY)), pid(root), info(root));
    } catch (IOException e) {
      throw StoreErrors.of("cannot read the lock of " + root, e);
    }
  }

  private static OptionalLong pid(Path root) throws IOException {
    try {
      return OptionalLong.of(
          Long.parseLong(Files.readString(root.resolve(OwnerLock.FILE)).strip()));
    } catch (NumberFormatException | NoSuchFileException e) {
      return OptionalLong.empty(); // the lock is being taken
    }
  }

  private static JsonObject info(Path root) throws IOException {
    try {
      return Json.object(Files.readString(root.resolve(INFO)));
    } catch (NoSuchFileException | JsonException e) {
      return JsonObject.create();
    }
  }

  static void announce(Path root, JsonObject info, boolean ready) {
    try {
      write(root, PID, ProcessHandle.current().pid() + "\n"); // first: it tells stale files apart
      write(root, INFO, Json.write(info) + "\n"); // nrvna looks for names and values without spaces
      if (ready) {
        write(root, READY, info.string("started_at", "") + "\n");
      }
    } catch (IOException e) {
      throw StoreErrors.of("cannot announce the owner of " + root, e);
    }
  }

  static void withdraw(Path root) {
    try {
      for (String file : List.of(READY, INFO, PID)) {
        Files.deleteIfExists(root.resolve(file));
      }
    } catch (IOException e) {
      throw StoreErrors.of("cannot clean up in " + root, e);
    }
  }

  private static void write(Path root, String file, String text) throws IOException {
    Path temporary = root.resolve(file + ".tmp");
    Disk disk = new RealDisk(root);
    FullDisk.withReserve(
        disk,
        () -> {
          disk.write(temporary, text.getBytes(StandardCharsets.UTF_8));
          disk.rename(temporary, root.resolve(file));
          return temporary;
        });
  }
}
