package dev.millrace.cli.manual;

import dev.millrace.cli.args.Option;
import java.util.ArrayList;
import java.util.List;

/** Writes the completion for bash, for {@code millrace} and the programs that are aliases. */
final class BashCompletion {
  private static final String BEGIN =
      """
      # Completion of millrace for bash, written from its option tables.

      # What completes the current word: a list of words, and with "files" or "directories" also paths.
      _millrace_reply() {
        local IFS=$' \\t\\n'
        mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
        local -a paths=()
        case $2 in
          files) mapfile -t paths < <(compgen -f -- "$cur") ;;
          directories) mapfile -t paths < <(compgen -d -- "$cur") ;;
        esac
        if ((${#paths[@]})); then
          compopt -o filenames 2>/dev/null
          COMPREPLY+=("${paths[@]}")
        fi
      }

      _millrace() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
        # bash splits --option=value at the sign
        if [[ $cur == = ]]; then
          cur=
        elif [[ $prev == = ]]; then
          prev=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        local word
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          [[ $word != -- ]] || prev=--
        done
        COMPREPLY=()
        case ${COMP_WORDS[0]##*/} in
      """;

  private final List<ManualEntry> entries;
  private final List<String> commands;
  private final StringBuilder out = new StringBuilder(BEGIN);

  private BashCompletion(List<ManualEntry> entries) {
    this.entries = entries;
    this.commands = entries.stream().map(ManualEntry::name).toList();
  }

  static String of(List<ManualEntry> entries) {
    return new BashCompletion(entries).text();
  }

  private String text() {
    List<String> programs = new ArrayList<>(List.of("millrace"));
    for (ManualEntry entry : entries) {
      if (!entry.program().isEmpty()) {
        programs.add(entry.program());
        out.append("    %s) command=%s ;;\n".formatted(entry.program(), entry.name()));
      }
    }
    out.append("    *) ((COMP_CWORD > 1)) || command= ;;\n  esac\n  case $command in\n");
    out.append("    '') _millrace_reply '%s' ;;\n".formatted(String.join(" ", commands)));
    entries.forEach(this::command);
    out.append("  esac\n}\n\ncomplete -F _millrace ").append(String.join(" ", programs));
    return out.append('\n').toString();
  }

  private void command(ManualEntry entry) {
    out.append("    ").append(entry.name()).append(")\n      case $prev in\n");
    List<String> words = new ArrayList<>();
    for (Option option : entry.options()) {
      words.add(option.shown());
      if (option.value() != null) {
        String letter = option.letter() == 0 ? "" : "-" + option.letter() + " | ";
        reply("        " + letter + option.shown() + ")", Completion.ofValue(option));
      }
    }
    Completion arguments = Completion.ofArguments(entry, commands);
    reply("        --)", arguments);
    out.append("        *)\n");
    out.append("          case $cur in\n");
    reply("            -*)", new Completion(words, Completion.Paths.NONE));
    reply("            *)", arguments);
    out.append("          esac\n          ;;\n      esac\n      ;;\n");
  }

  private void reply(String pattern, Completion completion) {
    out.append(pattern);
    if (completion.words().isEmpty() && completion.paths() == Completion.Paths.NONE) {
      out.append(" ;;\n");
      return;
    }
    out.append(" _millrace_reply '").append(String.join(" ", completion.words())).append('\'');
    out.append(
        switch (completion.paths()) {
          case NONE -> "";
          case FILES -> " files";
          case DIRECTORIES -> " directories";
        });
    out.append(" ;;\n");
  }
}
