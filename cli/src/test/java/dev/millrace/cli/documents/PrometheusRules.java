package dev.millrace.cli.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The alert rules that the documentation offers. */
public final class PrometheusRules {
  public static final String FILE = "docs/prometheus-rules.yml";

  /** How the metrics begin that only a server with layers on other nodes has. */
  public static final String PIPES = "millrace_pipe_";

  private static final Pattern EXPRESSION =
      Pattern.compile("\\n +expr: (.*?)(?=\\n +(?:for|labels):)", Pattern.DOTALL);
  private static final Pattern METRIC = Pattern.compile("\\b(?:millrace|jobnik|process|jvm)_\\w+");

  private PrometheusRules() {}

  /** The names of the server's metrics in all expressions. */
  public static Set<String> metrics(Path root) throws IOException {
    Set<String> names = new TreeSet<>();
    Matcher expressions = EXPRESSION.matcher(Files.readString(root.resolve(FILE)));
    while (expressions.find()) {
      Matcher metrics = METRIC.matcher(expressions.group(1));
      while (metrics.find()) {
        names.add(metrics.group());
      }
    }
    return names;
  }
}
