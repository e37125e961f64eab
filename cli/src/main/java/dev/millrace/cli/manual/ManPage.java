package dev.millrace.cli.manual;

import dev.millrace.cli.args.Option;
import java.util.List;
import java.util.Locale;

/** Writes man pages: one for each command, and one for the program. */
final class ManPage {
  private static final String LICENCE = "Apache\\-2.0";

  private final StringBuilder out = new StringBuilder();

  private ManPage(String name, String summary, String version) {
    out.append(".TH ").append(RoffText.escaped(name).toUpperCase(Locale.ROOT));
    out.append(" 1 \"\" \"Millrace ").append(RoffText.escaped(version)).append("\" \"Millrace\"\n");
    section("NAME");
    out.append(RoffText.escaped(name)).append(" \\- ").append(RoffText.escaped(summary));
    out.append('\n');
  }

  /** The page of one command, {@code millrace-NAME(1)}. */
  static String of(ManualEntry entry, String version) {
    ManPage page = new ManPage("millrace-" + entry.name(), entry.summary(), version);
    page.synopsis(entry);
    page.section("DESCRIPTION");
    page.text(entry.syntax().summary());
    page.section("OPTIONS");
    entry.options().forEach(page::option);
    if (!entry.syntax().notes().isEmpty()) {
      page.section("NOTES");
      page.text(entry.syntax().notes());
    }
    page.section("SEE ALSO");
    page.out.append(".BR millrace (1)\n");
    return page.out.toString();
  }

  /** The page of the program, which lists the others. */
  static String ofProgram(List<ManualEntry> entries, String version) {
    ManPage page = new ManPage("millrace", "durable, asynchronous LLM inference", version);
    page.section("SYNOPSIS");
    page.out.append(".B millrace\n.I COMMAND\n.RI [ ARGUMENT... ]\n");
    page.section("DESCRIPTION");
    page.text(
        """
        Millrace keeps prompts and jobs of stages as files in a workspace, and processes them with
        models that run on this machine or on several. Submitting and reading need no server.

        Each command has a page of its own, and explains itself with --help.\
        """);
    page.section("COMMANDS");
    for (ManualEntry entry : entries) {
      page.out.append(".TP\n.BR millrace\\-").append(entry.name()).append(" (1)\n");
      page.text(entry.summary());
    }
    page.section("ENVIRONMENT");
    page.variable("MILLRACE_WORKSPACE", "the workspace of commands that are not told one");
    page.variable("MILLRACE_MODEL", "the model of commands that are not told one");
    page.variable("MILLRACE_MODELS_DIR", "a directory of models, searched by name");
    page.variable("MILLRACE_API_KEY", "the key for a server that needs one");
    page.variable("MILLRACE_LOG_LEVEL", "error, warn, info, debug or trace");
    page.variable("MILLRACE_JAVA", "the JDK to use: its home, or its java");
    page.variable("MILLRACE_JAVA_OPTS", "more options for the JVM");
    page.section("FILES");
    page.variable("~/.cache/millrace", "what makes starts fast, and models from other nodes");
    page.section("COPYING");
    page.out.append(LICENCE).append('\n');
    return page.out.toString();
  }

  /** A page that is another one. */
  static String link(String name) {
    return ".so man1/" + name + ".1\n";
  }

  private void synopsis(ManualEntry entry) {
    section("SYNOPSIS");
    out.append(".nf\n");
    for (String form : entry.syntax().arguments()) {
      String line = "millrace " + entry.name() + " " + form;
      out.append(RoffText.escaped(line.strip())).append('\n');
    }
    if (!entry.program().isEmpty()) {
      out.append(RoffText.escaped(entry.program() + " ...")).append('\n');
    }
    out.append(".fi\n");
  }

  private void option(Option option) {
    out.append(".TP\n");
    if (option.letter() != 0) {
      out.append("\\fB\\-").append(option.letter()).append("\\fR, ");
    }
    out.append("\\fB").append(RoffText.escaped(option.shown())).append("\\fR");
    if (option.value() != null) {
      out.append(" \\fI").append(RoffText.escaped(option.value())).append("\\fR");
    }
    out.append('\n');
    text(option.help());
  }

  private void variable(String name, String text) {
    out.append(".TP\n.B ").append(RoffText.escaped(name)).append('\n');
    text(text);
  }

  private void section(String name) {
    out.append(".SH ").append(name).append('\n');
  }

  /** Lines are filled, except for indented ones, which are examples. */
  private void text(String text) {
    boolean example = false;
    for (String line : text.strip().split("\n")) {
      if (line.startsWith("  ") != example) {
        out.append(example ? ".fi\n.RE\n" : ".RS 2\n.nf\n");
        example = !example;
      }
      if (line.isEmpty()) {
        out.append(".PP\n");
      } else {
        if (line.matches("(Examples?|Exit status)\\b.*:.*")) {
          out.append(".br\n");
        }
        out.append(RoffText.escaped(example ? line.substring(2) : line)).append('\n');
      }
    }
    if (example) {
      out.append(".fi\n.RE\n");
    }
  }
}
