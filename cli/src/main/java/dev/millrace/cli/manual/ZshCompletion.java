package dev.millrace.cli.manual;

import dev.millrace.cli.args.Option;
import java.util.List;
import java.util.stream.Collectors;

/** Writes the completion for zsh, for {@code millrace} and the programs that are aliases. */
final class ZshCompletion {
  private final List<ManualEntry> entries;
  private final List<String> commands;
  private final StringBuilder out = new StringBuilder();

  private ZshCompletion(List<ManualEntry> entries) {
    this.entries = entries;
    this.commands = entries.stream().map(ManualEntry::name).toList();
  }

  static String of(List<ManualEntry> entries) {
    return new ZshCompletion(entries).text();
  }

  private String text() {
    List<ManualEntry> aliases = entries.stream().filter(it -> !it.program().isEmpty()).toList();
    String programs = aliases.stream().map(it -> " " + it.program()).collect(Collectors.joining());
    out.append("#compdef millrace").append(programs).append('\n');
    out.append("# Completion of millrace for zsh, written from its option tables.\n\n");
    out.append("local command=${words[2]}\nlocal -a commands\n\ncase $service in\n");
    for (ManualEntry alias : aliases) {
      out.append("  %s) command=%s ;;\n".formatted(alias.program(), alias.name()));
    }
    out.append("  *)\n    if ((CURRENT == 2)); then\n      commands=(\n");
    for (ManualEntry entry : entries) {
      out.append("        ").append(quoted(entry.name() + ":" + entry.summary())).append('\n');
    }
    out.append("      )\n      _describe -t commands command commands\n      return\n    fi\n");
    out.append("    shift words\n    ((CURRENT--))\n    ;;\nesac\n\ncase $command in\n");
    entries.forEach(this::command);
    return out.append("esac\n").toString();
  }

  private void command(ManualEntry entry) {
    out.append("  ").append(entry.name()).append(")\n    _arguments -S : \\\n");
    entry.options().forEach(this::option);
    out.append("      ")
        .append(quoted("*:argument:" + action(arguments(entry))))
        .append("\n    ;;\n");
  }

  private Completion arguments(ManualEntry entry) {
    return Completion.ofArguments(entry, commands);
  }

  private void option(Option option) {
    String shown = option.shown();
    String letter = "-" + option.letter();
    String value = "";
    if (option.value() != null) {
      value = ":" + escaped(option.value()) + ":" + action(Completion.ofValue(option));
    }
    String rest = quoted("[" + escaped(Completion.brief(option)) + "]" + value);
    String equals = option.value() == null ? "" : "=";
    String before = option.repeatable() ? "'*'" : "";
    if (option.letter() == 0) {
      out.append("      ").append(before).append(shown).append(equals).append(rest);
    } else {
      before = option.repeatable() ? "'*'" : "'(" + letter + " " + shown + ")'";
      out.append("      ").append(before).append('{').append(letter).append(',');
      out.append(shown).append(equals).append('}').append(rest);
    }
    out.append(" \\\n");
  }

  private static String action(Completion completion) {
    String paths =
        switch (completion.paths()) {
          case NONE -> "";
          case FILES -> "_files";
          case DIRECTORIES -> "_files -/";
        };
    if (completion.words().isEmpty()) {
      return paths;
    }
    String words = "compadd -- " + String.join(" ", completion.words());
    return paths.isEmpty() ? "{" + words + "}" : "{" + words + "; " + paths + "}";
  }

  private static String escaped(String text) {
    return text.replaceAll("[\\\\\\[\\]:]", "\\\\$0");
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
