package dev.millrace.cli.config;

import dev.millrace.cli.args.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlPosition;

/** Collects what is wrong with a file, so that one error names all of it in order of lines. */
final class ConfigurationProblems {
  /** A problem of the whole file comes after those of its lines. */
  private static final int WHOLE_FILE = Integer.MAX_VALUE;

  private final Path file;
  private final List<Problem> problems = new ArrayList<>();

  private record Problem(int line, String text) {
    @Override
    public String toString() {
      return line == WHOLE_FILE ? text : "line " + line + ": " + text;
    }
  }

  ConfigurationProblems(Path file) {
    this.file = file;
  }

  void add(@Nullable TomlPosition at, String text) {
    problems.add(new Problem(at == null ? WHOLE_FILE : at.line(), text));
  }

  /** Adds something that the file lacks. */
  void missing(String text) {
    add(null, text);
  }

  /** Where a value is set, as errors name it. */
  String at(@Nullable TomlPosition at, String key) {
    return at == null ? file + ": " + key : file + ", line " + at.line() + ": " + key;
  }

  /**
   * @throws UsageException with all problems, if there are any
   */
  void throwIfAny() {
    if (problems.isEmpty()) {
      return;
    }
    List<Problem> sorted = new ArrayList<>(problems);
    sorted.sort(Comparator.comparingInt(Problem::line));
    if (sorted.size() == 1) {
      Problem only = sorted.getFirst();
      throw new UsageException(file + (only.line() == WHOLE_FILE ? ": " : ", ") + only);
    }
    StringBuilder text = new StringBuilder(file + " has " + sorted.size() + " problems:");
    sorted.forEach(problem -> text.append("\n  ").append(problem));
    throw new UsageException(text.toString());
  }
}
