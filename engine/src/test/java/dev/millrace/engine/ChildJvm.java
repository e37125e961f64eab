package dev.millrace.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM like this one with other flags: for what a JVM decides once, such as its vector width. */
public final class ChildJvm {
  private ChildJvm() {}

  /** Starts a main class of these tests; read its output before waiting for its end. */
  public static ProcessBuilder of(Class<?> main, List<String> flags, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-Xmx1g", "--add-modules", "jdk.incubator.vector"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }
}
