package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.internal.jinja.operation.LetterCase;
import dev.millrace.engine.internal.jinja.operation.MemberAccess;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code attribute} argument of filters: a path such as {@code function.name} or {@code 0}, or
 * nothing for the item itself.
 */
record AttributePath(
    MemberAccess members, List<Object> path, boolean ignoreCase, Object otherwise) {
  static AttributePath of(
      MemberAccess members, Object attribute, boolean ignoreCase, Object otherwise) {
    List<Object> path = new ArrayList<>();
    if (attribute instanceof Long) {
      path.add(attribute);
    } else if (attribute != None.NONE) {
      for (String part : PyTypes.text(attribute, "an attribute's name").split("\\.", -1)) {
        path.add(
            part.matches("\\d{1,9}") ? (Object) Long.valueOf(part) : PyString.ofTemplate(part));
      }
    }
    return new AttributePath(members, path, ignoreCase, otherwise);
  }

  Object get(Object item) {
    Object value = item;
    for (Object part : path) {
      value = members.item(value, part);
      if (value instanceof Undefined && otherwise != None.NONE) {
        value = otherwise;
      }
    }
    return ignoreCase && PyTypes.isText(value) ? LetterCase.lower(PyText.str(value)) : value;
  }
}
