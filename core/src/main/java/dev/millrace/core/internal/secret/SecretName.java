package dev.millrace.core.internal.secret;

import java.util.List;
import java.util.Locale;

/** How sure a name is, such as {@code DB_PASSWORD} or {@code accessToken}, that its value is secret. */
enum SecretName {
  /** The value may be anything. */
  NOT_SECRET,
  /** The name has other meanings, too: a token may be one of a text. */
  MAYBE,
  /** The value is a header field: a scheme and a credential. */
  AUTHORIZATION,
  /** Any value is secret. */
  SECRET;

  private static final List<String> SECRETS =
      List.of(
          "password",
          "passwd",
          "passphrase",
          "pwd",
          "secret",
          "secretkey",
          "accesskey",
          "apikey",
          "privatekey",
          "accountkey",
          "sharedaccesskey",
          "encryptionkey",
          "masterkey",
          "authkey");

  private static final List<String> MAYBE_SECRETS =
      List.of("token", "sessionid", "cookie", "credential", "credentials");

  /** Tokens of texts and pages; not what opens anything. */
  private static final List<String> OTHER_TOKENS =
      List.of("bos", "eos", "eot", "pad", "unk", "stop", "mask", "sep", "next", "page", "per");

  /**
   * @param name letters, digits, '_', '-' and '.'
   * @param inQuery whether it follows a '?' or '&amp;', where URLs have their signatures
   */
  static SecretName of(String name, boolean inQuery) {
    String plain = name.toLowerCase(Locale.ROOT).replaceAll("[_.-]", "");
    if (SECRETS.stream().anyMatch(plain::endsWith)) {
      return SECRET;
    }
    if (plain.endsWith("authorization")) {
      return AUTHORIZATION;
    }
    if (inQuery && (plain.equals("sig") || plain.endsWith("signature") || plain.equals("key"))) {
      return SECRET;
    }
    boolean other = OTHER_TOKENS.stream().anyMatch(word -> plain.endsWith(word + "token"));
    return !other && MAYBE_SECRETS.stream().anyMatch(plain::endsWith) ? MAYBE : NOT_SECRET;
  }
}
