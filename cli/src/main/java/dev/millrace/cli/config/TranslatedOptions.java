package dev.millrace.cli.config;

import dev.millrace.cli.args.ConfiguredOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values of options as they are read from a file, with the place that errors name for each. */
final class TranslatedOptions {
  private final Map<String, List<String>> values = new HashMap<>();
  private final Map<String, String> sources = new HashMap<>();

  /** Sets an option; no values: it counts as not given. */
  void put(String option, List<String> texts, String source) {
    if (!texts.isEmpty()) {
      values.put(option, texts);
      sources.put(option, source);
    }
  }

  void putAll(TranslatedOptions others) {
    values.putAll(others.values);
    sources.putAll(others.sources);
  }

  boolean has(String option) {
    return values.containsKey(option);
  }

  ConfiguredOptions options() {
    return new ConfiguredOptions(values, sources);
  }
}
