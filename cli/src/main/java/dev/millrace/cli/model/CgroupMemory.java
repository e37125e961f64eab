package dev.millrace.cli.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the control groups of Linux, version 1 or 2, leave this process: a container has one.
 *
 * @param limit the smallest of this group and those above it, in bytes
 * @param left of these limits, where there is least; memory of cached files counts as left
 */
record CgroupMemory(long limit, long left) {
  /** Version 1 has a number near 2^63 for no limit. */
  private static final long NO_LIMIT = 1L << 60;

  /** The files of a version. */
  private record Version(String limit, String used, String cached) {
    static final Version ONE =
        new Version("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
    static final Version TWO = new Version("memory.max", "memory.current", "inactive_file");

    Optional<CgroupMemory> read(Path group) {
      OptionalLong most = number(group.resolve(limit));
      if (most.isEmpty() || most.getAsLong() >= NO_LIMIT) {
        return Optional.empty();
      }
      long taken = number(group.resolve(used)).orElse(0) - statistic(group, cached);
      long free = most.getAsLong() - Math.max(0, taken);
      return Optional.of(new CgroupMemory(most.getAsLong(), Math.max(0, free)));
    }
  }

  /**
   * Empty if there is no limit, or none can be read.
   *
   * @param root the root of the file system
   */
  static Optional<CgroupMemory> read(Path root) {
    List<CgroupMemory> limits = new ArrayList<>();
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      String[] fields = line.split(":", 3); // number:controllers:path
      if (fields.length < 3) {
        continue;
      }
      Path groups = root.resolve("sys/fs/cgroup");
      if (fields[1].isEmpty()) {
        limits.addAll(upwards(Version.TWO, groups, fields[2]));
      } else if (List.of(fields[1].split(",")).contains("memory")) {
        limits.addAll(upwards(Version.ONE, groups.resolve("memory"), fields[2]));
      }
    }
    return limits.stream()
        .reduce(
            (one, other) ->
                new CgroupMemory(Math.min(one.limit, other.limit), Math.min(one.left, other.left)));
  }

  /** The limits of a group and of all above it, as far as this process can see them. */
  private static List<CgroupMemory> upwards(Version version, Path base, String path) {
    List<CgroupMemory> limits = new ArrayList<>();
    Path group = base.resolve(path.substring(Math.min(1, path.length()))).normalize();
    if (!group.startsWith(base)) {
      group = base; // a namespace hides what is above
    }
    for (; group != null && group.startsWith(base); group = group.getParent()) {
      version.read(group).ifPresent(limits::add);
    }
    return limits;
  }

  private static long statistic(Path group, String name) {
    for (String line : lines(group.resolve("memory.stat"))) {
      if (line.startsWith(name + " ")) {
        return parse(line.substring(name.length())).orElse(0);
      }
    }
    return 0;
  }

  private static OptionalLong number(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() ? OptionalLong.empty() : parse(lines.getFirst());
  }

  private static OptionalLong parse(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text.strip()));
    } catch (NumberFormatException e) {
      return OptionalLong.empty(); // "max": no limit
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of(); // another system, or a group that cannot be seen from here
    }
  }
}
