package dev.millrace.core.internal.secret;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Tokens that are known by their form. A pattern begins where no character of a token precedes it,
 * so that each run of such characters is tried once, and it is tried only in texts that contain its
 * beginning.
 */
final class SecretShapes {
  private static final String START = "(?<![A-Za-z0-9_-])";

  /**
   * @param beginnings a text without any of them has no such token
   */
  private record Shape(Pattern pattern, String replacement, String... beginnings) {
    static Shape of(String token, String... beginnings) {
      return new Shape(Pattern.compile(START + token), SecretRedactor.REDACTED, beginnings);
    }

    boolean mayBeIn(String text) {
      for (String beginning : beginnings) {
        if (text.contains(beginning)) {
          return true;
        }
      }
      return false;
    }
  }

  private static final List<Shape> SHAPES =
      List.of(
          // Millrace; OpenAI, Anthropic and others; Stripe
          Shape.of("mr_[\\w-]{20,}+", "mr_"),
          Shape.of("sk-[\\w-]{8,}+", "sk-"),
          Shape.of("(?:[srp]k_(?:live|test)|whsec)_[\\w+/=]{8,}+", "k_live_", "k_test_", "whsec_"),
          // forges and package registries
          Shape.of("gh[pousr]_[A-Za-z0-9]{16,}+", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
          Shape.of("github_pat_\\w{16,}+", "github_pat_"),
          Shape.of("gl(?:pat|ptt|dt|rt|cbt|ft|agent|oas|soat|imt)-[\\w.-]{16,}+", "gl"),
          Shape.of("npm_[A-Za-z0-9]{20,}+", "npm_"),
          Shape.of("pypi-[\\w-]{16,}+", "pypi-"),
          Shape.of("hf_[A-Za-z0-9]{20,}+", "hf_"),
          // clouds
          Shape.of(
              "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "AKIA", "ASIA", "ABIA", "ACCA"),
          Shape.of("AIza[\\w-]{30,}+", "AIza"),
          Shape.of("ya29\\.[\\w.-]{16,}+", "ya29."),
          Shape.of("GOCSPX-[\\w-]{16,}+", "GOCSPX-"),
          Shape.of("do[opr]_v1_[a-f0-9]{20,}+", "_v1_"),
          Shape.of("dapi[0-9a-f]{32}", "dapi"),
          Shape.of("hvs\\.[\\w-]{20,}+", "hvs."),
          Shape.of("SG\\.[\\w-]{16,}+\\.[\\w-]{16,}+", "SG."),
          Shape.of("AGE-SECRET-KEY-1[A-Z0-9]{20,}+", "AGE-SECRET-KEY-1"),
          // Slack and Discord
          Shape.of("xox[a-z]-[\\w-]{8,}+", "xox"),
          Shape.of("xapp-[\\w-]{8,}+", "xapp-"),
          new Shape(
              Pattern.compile("(hooks\\.slack\\.com/\\w{1,20}/)[^\\s\"'<>]++"),
              "$1" + SecretRedactor.REDACTED,
              "hooks.slack.com/"),
          new Shape(
              Pattern.compile("(discord(?:app)?\\.com/api/webhooks/)[^\\s\"'<>]++"),
              "$1" + SecretRedactor.REDACTED,
              ".com/api/webhooks/"),
          // a JSON web token begins with {" in base64
          Shape.of("eyJ[\\w-]{5,}+\\.[\\w-]{2,}+(?:\\.[\\w-]*+)*+", "eyJ"));

  private SecretShapes() {}

  static String redact(String text) {
    String result = text;
    for (Shape shape : SHAPES) {
      if (shape.mayBeIn(result)) {
        result = shape.pattern().matcher(result).replaceAll(shape.replacement());
      }
    }
    return result;
  }
}
