package dev.millrace.engine.internal.toolcall;

import java.util.Set;

/**
 * What the value of an argument may be, for formats that write it without quotes.
 *
 * @param types the types of JSON Schema that it may have; empty: any
 * @param isText whether it is always a string that is written as it is
 */
record ArgumentType(Set<String> types, boolean isText) {
  static final ArgumentType ANY = new ArgumentType(Set.of(), false);

  /** Whether a value goes on behind what looks like its end: JSON that is not complete. */
  boolean isOpen(String value) {
    return !isText && !value.isBlank() && JsonText.extent(value) == JsonText.Extent.OPEN;
  }

  /** The JSON of a value: what it says, if that has the type, else a string. */
  String toJson(String value) {
    String json = value.strip();
    boolean string = types.isEmpty() || types.contains("string");
    if (isText || json.isEmpty() || JsonText.extent(json) != JsonText.Extent.COMPLETE) {
      return JsonText.quote(value);
    }
    return isOf(JsonText.type(json)) || !string ? JsonText.clean(json) : JsonText.quote(value);
  }

  private boolean isOf(String type) {
    return types.isEmpty()
        || types.contains(type)
        || type.equals("integer") && types.contains("number")
        || type.equals("number") && types.contains("integer"); // 1.0 is one
  }
}
