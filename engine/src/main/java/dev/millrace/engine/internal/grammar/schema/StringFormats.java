package dev.millrace.engine.internal.grammar.schema;

import dev.millrace.engine.internal.grammar.RuleExpression;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The supported string formats, as patterns. Dates exist in the calendar; times have no leap
 * second.
 */
final class StringFormats {
  private static final String DATE =
      "(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))"
          + "|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)";
  private static final String TIME =
      "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  private static final String LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
  private static final String ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,31}";

  private static final Map<String, String> PATTERNS =
      Map.of(
          "date",
          DATE,
          "time",
          TIME,
          "date-time",
          DATE + "T" + TIME,
          "uuid",
          "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
          "ipv4",
          OCTET + "(?:\\." + OCTET + "){3}",
          "email",
          ATOM + "(?:\\." + ATOM + ")?@" + LABEL + "(?:\\." + LABEL + "){1,2}");

  private StringFormats() {}

  static RuleExpression expr(SchemaNode node, String format) {
    String pattern = PATTERNS.get(format);
    if (pattern == null) {
      throw node.refused(
          "format",
          "is %s; supported are %s"
              .formatted(format, String.join(", ", new TreeSet<>(PATTERNS.keySet()))));
    }
    return SchemaRegexParser.parse(
        "schema at " + node.path(), "^" + pattern + "$", UnaryOperator.identity(), node.budget());
  }
}
