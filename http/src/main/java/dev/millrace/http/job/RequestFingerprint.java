package dev.millrace.http.job;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A hash of a request: equal for equal requests, and without their content. */
final class RequestFingerprint {
  private RequestFingerprint() {}

  /** SHA-256 of the parts, in hex; different lists of parts have different input. */
  static String of(String... parts) {
    MessageDigest digest = Sha256.digest();
    for (String part : parts) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
      digest.update(bytes);
    }
    return Sha256.hex(digest.digest());
  }

  /** Canonical JSON: independent of the order of names and the notation of numbers. */
  static String canonical(@Nullable Object value) {
    return Json.write(sorted(value));
  }

  private static @Nullable Object sorted(@Nullable Object value) {
    return switch (value) {
      case JsonObject object -> sorted(object.values());
      case Map<?, ?> map -> {
        TreeMap<String, @Nullable Object> names = new TreeMap<>();
        map.forEach((name, of) -> names.put(String.valueOf(name), sorted(of)));
        yield names;
      }
      case Collection<?> list -> list.stream().map(RequestFingerprint::sorted).toList();
      case BigDecimal number -> number.stripTrailingZeros();
      case Long number -> BigDecimal.valueOf(number).stripTrailingZeros();
      case null -> null;
      default -> value;
    };
  }
}
