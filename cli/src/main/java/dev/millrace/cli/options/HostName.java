package dev.millrace.cli.options;

import dev.millrace.cli.command.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The name of this machine, as a default node name. No name service is asked: that can hang. */
public final class HostName {
  private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");
  private static final int LONGEST = 50;

  private HostName() {}

  public static String of(Shell shell) {
    String name = kernel();
    if (name == null) {
      name = shell.variable("HOSTNAME");
    }
    return name == null ? "node" : clean(name);
  }

  /** Without characters that a node name must not have, and short enough for a suffix. */
  static String clean(String name) {
    String fit = name.strip().replaceAll("[^A-Za-z0-9._-]", "-");
    String cut = fit.length() > LONGEST ? fit.substring(0, LONGEST) : fit;
    return cut.isEmpty() ? "node" : cut;
  }

  private static @Nullable String kernel() {
    try {
      String name = Files.readString(KERNEL).strip();
      return name.isEmpty() ? null : name;
    } catch (IOException e) {
      return null; // not Linux: the shell sets a variable
    }
  }
}
