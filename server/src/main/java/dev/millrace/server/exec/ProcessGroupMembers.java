package dev.millrace.server.exec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Finds out whether a process group has live members. {@code kill(2)} counts zombies, and orphans
 * stay zombies until process 1 reaps them; in a container that may never happen.
 */
final class ProcessGroupMembers {
  private static final Path PROCESSES = Path.of("/proc");

  private ProcessGroupMembers() {}

  /** Whether a process of the group runs that has all these lines in its environment. */
  static boolean anyWith(long group, String... environment) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[1-9]*")) {
      for (Path process : processes) {
        if (isAlive(stat(process), group)
            && environment(process).containsAll(List.of(environment))) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false;
    }
  }

  /** Empty if the process is gone, or of another user. */
  private static List<String> environment(Path process) {
    try {
      String all = Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
      return List.of(all.split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Whether a process of the group still runs; true if that cannot be known. */
  static boolean anyAlive(long group) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[1-9]*")) {
      boolean any = false;
      boolean seen = false;
      for (Path process : processes) {
        String stat = stat(process);
        seen |= !stat.isEmpty();
        any |= isAlive(stat, group);
      }
      return any || !seen;
    } catch (IOException e) {
      return true;
    }
  }

  /** Empty if the process is gone. */
  private static String stat(Path process) {
    try {
      return Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /** proc(5): {@code pid (name) state ppid pgrp …}, where the name may contain anything. */
  static boolean isAlive(String stat, long group) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", 4);
    return fields.length == 4
        && !fields[0].equals("Z")
        && !fields[0].equals("X")
        && fields[2].equals(Long.toString(group));
  }
}
