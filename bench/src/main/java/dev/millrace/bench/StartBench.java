package dev.millrace.bench;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures how long {@code millrace work} and {@code flow} take, compared with a Java hello world.
 */
public final class StartBench {
  private StartBench() {}

  public static void main(String[] args) throws Exception {
    String launcher = args.length > 0 ? args[0] : "./millrace";
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 20;
    Path dir = ScratchDirectories.fresh("start");
    Path hello =
        Files.writeString(
            dir.resolve("Hello.java"),
            """
            public class Hello {
              public static void main(String[] args) {
                System.out.println("hello");
              }
            }
            """);
    String bin = System.getProperty("java.home") + "/bin/";
    time(List.of(bin + "javac", "-d", dir.toString(), hello.toString()));
    String workspace = dir.resolve("ws").toString();
    Map<String, List<String>> commands = new LinkedHashMap<>();
    commands.put("hello world", List.of(bin + "java", "-cp", dir.toString(), "Hello"));
    commands.put("millrace work", List.of(launcher, "work", workspace, "a prompt"));
    commands.put("millrace flow", List.of(launcher, "flow", workspace));
    Map<String, List<Double>> times = new LinkedHashMap<>();
    for (int round = -3; round < rounds; round++) {
      for (Map.Entry<String, List<String>> command : commands.entrySet()) {
        double time = time(command.getValue());
        if (round >= 0) {
          times.computeIfAbsent(command.getKey(), k -> new ArrayList<>()).add(time);
        }
      }
    }
    double base = InterleavedRounds.median(times.get("hello world"));
    times.forEach(
        (name, values) ->
            System.out.printf(
                Locale.ROOT,
                "%-16s %6.1f ms %6.2fx%n",
                name,
                InterleavedRounds.median(values),
                InterleavedRounds.median(values) / base));
    ScratchDirectories.clean();
  }

  private static double time(List<String> command) throws Exception {
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(new File("/dev/null"))
            .start();
    int status = process.waitFor();
    if (status != 0) {
      throw new IllegalStateException(command + " ended with " + status);
    }
    return (System.nanoTime() - start) / 1e6;
  }
}
