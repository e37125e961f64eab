package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.Pooling;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The checked parameters of an embed task.
 *
 * @param model null: the default
 * @param pooling null: as the model file says
 */
public record EmbedParameters(
    @Nullable String model, String text, @Nullable Pooling pooling, boolean normalize) {

  private static final Set<String> KNOWN =
      Set.of("model", "prompt", "input", "pooling", "normalize");

  /**
   * @throws TaskRefused if a parameter is invalid; the message names it and the rule
   */
  public static EmbedParameters of(JsonObject data, @Nullable Object input) {
    ParameterReader fields = ParameterReader.of(data, input, KNOWN);
    fields.rejectBoth("prompt", "input");
    String text = fields.has("input") ? fields.text("input") : fields.text("prompt");
    if (text == null || text.isEmpty()) {
      throw new TaskRefused("Empty prompt");
    }
    return new EmbedParameters(
        fields.text("model"),
        text,
        pooling(fields.text("pooling")),
        !Boolean.FALSE.equals(fields.flag("normalize")));
  }

  private static @Nullable Pooling pooling(@Nullable String name) {
    return switch (name) {
      case null -> null;
      case "mean" -> Pooling.MEAN;
      case "cls" -> Pooling.CLS;
      case "last" -> Pooling.LAST;
      default -> throw ParameterReader.invalid("pooling", name, "\"mean\", \"cls\" or \"last\"");
    };
  }

  public static String poolingName(Pooling pooling) {
    return pooling.name().toLowerCase(Locale.ROOT);
  }
}
