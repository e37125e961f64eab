package dev.millrace.engine.chat.jinja;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code namespace(...)}: the one value whose attributes a template may set, also from within a
 * loop.
 */
record Namespace(Map<Object, Object> attributes) {
  static Namespace of(Arguments args, Budget budget) {
    Map<Object, Object> attributes = new LinkedHashMap<>();
    for (Object initial : args.positional()) {
      if (!(initial instanceof Map<?, ?> map)) {
        throw new TemplateException(
            "namespace() takes a dict or named values, not " + Types.name(initial));
      }
      budget.items(map.size());
      attributes.putAll(map);
    }
    attributes.putAll(args.named());
    return new Namespace(attributes);
  }
}
