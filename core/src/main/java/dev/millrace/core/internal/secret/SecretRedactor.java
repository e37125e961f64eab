package dev.millrace.core.internal.secret;

/**
 * Replaces what looks like a secret in a text for people. It knows shapes (keys of clouds and
 * forges, JSON web tokens, private keys), places (URLs, {@code Authorization}) and names ({@code
 * password=…}). Ids, hashes and prose stay. Redacting twice changes nothing more.
 */
public final class SecretRedactor {
  public static final String REDACTED = "[redacted]";

  private SecretRedactor() {}

  /** The text without secrets; the same object if it has none. */
  public static String redact(String text) {
    String result = PrivateKeys.redact(text);
    result = SecretShapes.redact(result);
    result = UrlPasswords.redact(result);
    result = Credentials.redact(result);
    return new SecretPairs(result).redact();
  }
}
