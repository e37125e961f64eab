package dev.millrace.cli;

import java.util.List;

/**
 * The run from which the launcher makes its AOT cache (JEP 514): a later start is fast in so far as
 * what it does was done here. All commands run in one JVM, because a cache is made of one run.
 */
final class AotTraining {
  /** Not a command for users, so not in the usage. */
  static final String ARGUMENT = "--aot-training";

  private static final List<List<String>> COMMANDS = List.of(List.of("--version"));

  private AotTraining() {}

  static int run() {
    COMMANDS.forEach(command -> Main.run(command.toArray(String[]::new)));
    return 0;
  }
}
