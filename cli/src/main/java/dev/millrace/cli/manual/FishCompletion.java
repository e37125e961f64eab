package dev.millrace.cli.manual;

import dev.millrace.cli.args.Option;
import java.util.List;

/**
 * Writes the completions for fish: one file for {@code millrace}, and one for each program that is
 * an alias, as fish finds a completion by the name of its program.
 */
final class FishCompletion {
  private static final String BEGIN =
      """
      # Completion of %s for fish, written from its option tables.

      """;

  private static final String CONDITION =
      """
      function __millrace_command
        set -l words (commandline -opc)
        test (count $words) -gt 1; and test $words[2] = $argv[1]
      end

      function __millrace_no_command
        test (count (commandline -opc)) -eq 1
      end

      complete -c millrace -f
      """;

  private final List<String> commands;
  private final StringBuilder out = new StringBuilder();

  private FishCompletion(List<ManualEntry> entries) {
    this.commands = entries.stream().map(ManualEntry::name).toList();
  }

  static String of(List<ManualEntry> entries) {
    FishCompletion completion = new FishCompletion(entries);
    completion.out.append(BEGIN.formatted("millrace")).append(CONDITION);
    for (ManualEntry entry : entries) {
      completion.offer("millrace", entry);
    }
    for (ManualEntry entry : entries) {
      String condition = " -n '__millrace_command " + entry.name() + "'";
      completion.command("complete -c millrace" + condition, entry);
    }
    return completion.out.toString();
  }

  static String ofProgram(ManualEntry entry, List<ManualEntry> entries) {
    FishCompletion completion = new FishCompletion(entries);
    completion.out.append(BEGIN.formatted(entry.program()));
    completion.out.append("complete -c ").append(entry.program()).append(" -f\n");
    completion.command("complete -c " + entry.program(), entry);
    return completion.out.toString();
  }

  private void offer(String program, ManualEntry entry) {
    out.append("complete -c ").append(program).append(" -n __millrace_no_command -a ");
    out.append(entry.name()).append(" -d ").append(quoted(entry.summary())).append('\n');
  }

  private void command(String lead, ManualEntry entry) {
    for (Option option : entry.options()) {
      out.append(lead);
      if (option.letter() != 0) {
        out.append(" -s ").append(option.letter());
      }
      out.append(" -l ").append(option.name());
      if (option.value() != null) {
        out.append(" -x").append(offered(Completion.ofValue(option)));
      }
      out.append(" -d ").append(quoted(Completion.brief(option))).append('\n');
    }
    String arguments = offered(Completion.ofArguments(entry, commands));
    if (!arguments.isEmpty()) {
      out.append(lead).append(arguments).append('\n');
    }
  }

  private static String offered(Completion completion) {
    String words = String.join(" ", completion.words());
    String paths =
        switch (completion.paths()) {
          case NONE -> "";
          case FILES -> "(__fish_complete_path)";
          case DIRECTORIES -> "(__fish_complete_directories)";
        };
    String all = (words + " " + paths).strip();
    return all.isEmpty() ? "" : " -a " + quoted(all);
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
