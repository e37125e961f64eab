package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The value of {@code namespace(...)}: the only value whose attributes a template may set, also
 * from within a loop.
 */
public record TemplateNamespace(Map<Object, Object> attributes) {
  public static TemplateNamespace of(PyArguments args, RenderBudget budget) {
    Map<Object, Object> attributes = new LinkedHashMap<>();
    for (Object initial : args.positional()) {
      if (!(initial instanceof Map<?, ?> map)) {
        throw new ChatTemplateException(
            "namespace() takes a dict or named values, not " + PyTypes.typeName(initial));
      }
      budget.chargeItems(map.size());
      attributes.putAll(map);
    }
    attributes.putAll(args.namedAsDict());
    return new TemplateNamespace(attributes);
  }
}
