package dev.millrace.server.exec;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The environment variables that every program gets: few of the server's own, which say where and
 * in which language it runs, and those that the operator adds. The server's environment may have
 * keys that are no program's business.
 */
public final class ExecEnvironment {
  private static final Set<String> INHERITED =
      Set.of("PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR");
  private static final String LOCALE = "LC_";
  private static final String SERVER_KEY = "MILLRACE_API_KEY";
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final String serverPath;
  private final Map<String, String> variables;

  private ExecEnvironment(String serverPath, Map<String, String> variables) {
    this.serverPath = serverPath;
    this.variables = variables;
  }

  /** What programs get without any addition. */
  public static ExecEnvironment of(Map<String, String> server) {
    return of(server, List.of());
  }

  /**
   * The environment with additions: {@code NAME} passes a variable of the server on, {@code
   * NAME=VALUE} sets one.
   *
   * @param server the environment of this process
   * @throws IllegalArgumentException if an addition cannot be used; it names the rule
   */
  public static ExecEnvironment of(Map<String, String> server, List<String> added) {
    Map<String, String> variables = new TreeMap<>();
    server.forEach(
        (name, value) -> {
          if (INHERITED.contains(name) || name.startsWith(LOCALE)) {
            variables.put(name, value);
          }
        });
    Map<String, String> own = new LinkedHashMap<>();
    for (String each : added) {
      int equals = each.indexOf('=');
      String name = requireName(equals < 0 ? each : each.substring(0, equals));
      String value = equals < 0 ? inherited(server, name) : each.substring(equals + 1);
      if (own.put(name, value) != null) {
        throw new IllegalArgumentException("variable " + name + " is given twice");
      }
    }
    variables.putAll(own);
    return new ExecEnvironment(server.getOrDefault("PATH", "/usr/bin:/bin"), Map.copyOf(variables));
  }

  private static String requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "expected NAME or NAME=VALUE, with a name of letters, digits and _, got \""
              + name
              + "\"");
    }
    if (ExecWorker.TASK_VARIABLES.contains(name)) {
      throw new IllegalArgumentException(
          name + " describes a program's task and cannot be set; name another variable");
    }
    return name;
  }

  private static String inherited(Map<String, String> server, String name) {
    if (name.equals(SERVER_KEY)) {
      throw new IllegalArgumentException(
          SERVER_KEY
              + " of the server is never passed on; give the program a key of its own:"
              + " NAME=VALUE, or a file that it reads");
    }
    String value = server.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "the server's environment has no " + name + "; set it there, or give NAME=VALUE");
    }
    return value;
  }

  /** Where the server finds programs for itself. */
  String serverPath() {
    return serverPath;
  }

  Map<String, String> variables() {
    return variables;
  }

  /** The names alone: a value may be a secret. */
  @Override
  public String toString() {
    return String.join(", ", new TreeMap<>(variables).keySet());
  }
}
