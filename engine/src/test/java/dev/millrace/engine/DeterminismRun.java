package dev.millrace.engine;

import dev.millrace.engine.DeterminismScenario.Kernels;
import dev.millrace.engine.DeterminismScenario.Space;
import dev.millrace.engine.internal.kernel.KernelCompileOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Runs scenarios: those of the scalar kernels here, those of others in a JVM of their own, with
 * this class as its main class. That JVM prints a line for each scenario: the traces of its
 * requests or, after "!", the problem.
 */
final class DeterminismRun {
  private DeterminismRun() {}

  /**
   * Arguments: the directory of the models; "all" or "usual", the set of models; a file of rows,
   * each a scenario.
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    Space space = Space.of(args[1].equals("all"));
    try (BufferedReader rows = Files.newBufferedReader(Path.of(args[2]))) {
      for (String row = rows.readLine(); row != null; row = rows.readLine()) {
        System.out.println(line(space.at(Space.read(row)), directory));
        System.out.flush();
      }
    }
  }

  /** Runs scenarios that have the same kernels, and reports the result of each. */
  static void run(
      Space space, List<int[]> rows, Path directory, BiConsumer<DeterminismScenario, String> report)
      throws Exception {
    Kernels kernels = space.at(rows.getFirst()).kernels();
    if (kernels == Kernels.SCALAR) {
      rows.forEach(row -> report.accept(space.at(row), line(space.at(row), directory)));
      return;
    }
    Path list =
        Files.write(directory.resolve("rows-" + kernels), rows.stream().map(Space::write).toList());
    Path errors = directory.resolve("errors-" + kernels);
    List<String> flags = new ArrayList<>(KernelCompileOptions.atOnce());
    flags.add("-D" + kernels.property);
    String models = space.isAll() ? "all" : "usual";
    Process process =
        ChildJvm.of(DeterminismRun.class, flags, directory.toString(), models, list.toString())
            .redirectError(errors.toFile())
            .start();
    try (BufferedReader lines = process.inputReader()) {
      for (int[] row : rows) {
        String line = lines.readLine();
        report.accept(
            space.at(row),
            line == null ? "!the JVM ended, and said " + Files.readString(errors) : line);
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static String line(DeterminismScenario scenario, Path directory) {
    try {
      List<LogitsTrace> traces = ScenarioRunner.of(scenario, scenario.model().in(directory));
      return traces.stream().map(LogitsTrace::write).collect(Collectors.joining(" "));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException | AssertionError e) {
      return "!" + e;
    }
  }
}
