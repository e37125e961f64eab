package dev.millrace.cli.args;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Values from a configuration file, for options that the command line leaves out.
 *
 * @param values by the option's name; a flag has one that is empty
 * @param sources how errors name each of them
 */
public record ConfiguredOptions(Map<String, List<String>> values, Map<String, String> sources) {
  public ConfiguredOptions {
    Map<String, List<String>> copies = new HashMap<>();
    values.forEach((name, given) -> copies.put(name, List.copyOf(given)));
    values = Map.copyOf(copies);
    sources = Map.copyOf(sources);
  }
}
