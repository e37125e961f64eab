package dev.millrace.core.internal.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The secrets are made up; their shapes are real. Some are joined here, so that no scanner errs. */
class SecretRedactorTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ghp+_16C7e42F292c6912E7710c838347Ae178B4a",
        "gho+_16C7e42F292c6912E7710c838347Ae178B4a",
        "ghs+_16C7e42F292c6912E7710c838347Ae178B4a",
        "github+_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789abcdefghijklmnopqrstuv",
        "glpat+-x7Yz_9qLmN3pR5tV8wBk",
        "glpat+-x7Yz9qLmN3pR5tV8wBk.01.0w0abcdef",
        "AKIA+IOSFODNN7EXAMPLE",
        "ASIA+IOSFODNN7EXAMPLE",
        "sk+-1234567890abcdef",
        "sk+-proj-Ab1_Cd2-Ef3_Gh4",
        "sk+-ant-api03-AbCdEf-012345",
        "sk+_live_51AbCdEfGh0123456789",
        "mr+_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_abcde",
        "xox+b-123456789012-1234567890123-AbCdEfGhIjKlMnOp",
        "xapp+-1-A0B1C2D3-1234567890-abcdef",
        "AIza+SyA-1234567890abcdefghijklmnopqrstu",
        "ya29+.a0AfH6SMBx-1234567890_abcdef",
        "hf+_AbCdEfGhIjKlMnOpQrStUvWxYz",
        "npm+_abcdefghijklmnopqrstuvwxyz0123456789",
        "pypi+-AgEIcHlwaS5vcmcCJDAwMDAwMDAw",
        "SG+.abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg",
        "dop+_v1_0123456789abcdef0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9+.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "eyJhbGciOi+.eyJzdWIi.abc",
        "Bearer +abc123",
        "Bearer +x7",
        "bearer +abcdef",
        "Bearer%20+abcdef",
        "Basic +dXNlcjpwdw==",
        "basic +YWRtaW46aHVudGVyMg"
      })
  void secretsAreKnownByTheirShape(String parts) {
    String secret = parts.replaceFirst("\\+", "");
    for (String around :
        List.of("%s", "got %s, stop", "(%s)", "\"%s\"", "x=%s;", "/a/%s?b", "é%s\n")) {
      assertThat(SecretRedactor.redact(around.formatted(secret)))
          .as(around)
          .isEqualTo(around.formatted("[redacted]"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "postgresql://user:pw@host/db          | postgresql://user:[redacted]@host/db",
        "postgresql://user:p@ss:w@host:5432/db | postgresql://user:[redacted]@host:5432/db",
        "redis://:pw@h and amqp://a:b@c        | redis://:[redacted]@h and amqp://a:[redacted]@c",
        "clone https://me:x-y.z@example.com.   | clone https://me:[redacted]@example.com.",
        "password=hunter2                      | password=[redacted]",
        "password=correct, user=me             | password=[redacted], user=me",
        "Password = 'a b \\' c' next           | Password = '[redacted]' next",
        "DB_PASSWORD=x                         | DB_PASSWORD=[redacted]",
        "--db-password=x                       | --db-password=[redacted]",
        "Server=a;Uid=b;Pwd=c;                 | Server=a;Uid=b;Pwd=[redacted];",
        "AWS_SECRET_ACCESS_KEY=wJalr/K7+bPx    | AWS_SECRET_ACCESS_KEY=[redacted]",
        "AccountKey=abc+/def==;End             | AccountKey=[redacted];End",
        "{\"password\": \"a b\", \"n\": 1}     | {\"password\": \"[redacted]\", \"n\": 1}",
        "{\"password\": 1234}                  | {\"password\": [redacted]}",
        "{\"token\":\"abc\",\"id\":\"abc\"}    | {\"token\":\"[redacted]\",\"id\":\"abc\"}",
        "{\\\"api_key\\\":\\\"abc\\\",1}       | {\\\"api_key\\\":\\\"[redacted]\\\",1}",
        "{'accessToken': 'abc'}                | {'accessToken': '[redacted]'}",
        "{\"client_secret\":\"a\\\"b\"}        | {\"client_secret\":\"[redacted]\"}",
        "\"secret\": \"cut off                 | \"secret\": \"[redacted]",
        ":password => \"x\"                    | :password => \"[redacted]\"",
        "password: hunter2                     | password: [redacted]",
        "x-api-key: abc123                     | x-api-key: [redacted]",
        "token: ab12cd34                       | token: [redacted]",
        "?token=abc&n=1                        | ?token=[redacted]&n=1",
        "https://b/c?se=1&sig=a%2Fb&sp=r       | https://b/c?se=1&sig=[redacted]&sp=r",
        "?X-Amz-Signature=0a1b&x=y             | ?X-Amz-Signature=[redacted]&x=y",
        "Authorization: Bearer abc             | Authorization: [redacted]",
        "Authorization: Basic x                | Authorization: [redacted]",
        "authorization: Token abc rest         | authorization: [redacted] rest",
        "\"Authorization\": \"Custom abc def\" | \"Authorization\": \"[redacted]\"",
        "Proxy-Authorization: Basic dXNlcjpwdw== | Proxy-Authorization: [redacted]",
        "https://hooks.slack.com/services/T0/B0/x | https://hooks.slack.com/services/[redacted]"
      })
  void valuesAreKnownByTheirPlace(String text, String shown) {
    assertThat(SecretRedactor.redact(text)).isEqualTo(shown);
    assertThat(SecretRedactor.redact(shown)).as("twice").isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a mask-like word, a task-force1234, and risk-12345678",
        "job 0001a2b3-7f3c-8abc-8000-000000000001 resumed at token 214",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "\"model_sha256\":\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "\"prompt_tokens\": 12, \"completion_tokens\":34, max_tokens=5, tokens: 7",
        "token 7f3 of task 2: fencing token 12 is old; token=12, \"token\": 12",
        "unexpected token: \"}\" at line 3, unexpected token: foo",
        "bos_token=\"<s>\" eos_token: \"</s>\" tokenizer.ggml.eos_token_id=2",
        "next_token=abc",
        "the secret: at least 16 characters; password: must be given. Password: Missing!",
        "a valid key is needed: send it as Authorization: Bearer KEY",
        "curl -H \"Authorization: Bearer $KEY\" -H 'X-Api-Key: $KEY' http://HOST:8080/v1/jobs",
        "Bearer realm=\"millrace\"; a bearer token, or bearer tokens. Basic authentication",
        "Authorization: the key lacks the scope",
        "{\"password\": null, \"secret\": \"\", \"token\": \"[redacted]\", \"apiKey\": \"<key>\"}",
        "PWD=/home/me/work",
        "https://example.com:8443/a?b=c@d and http://[::1]:80/x, user@host, git@example.com:a/b",
        "key=value, idempotency key: abc123def, key \"nightly\"",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "a == b, token == c, x := y, a::b, std::secret::x",
        "ghp_ is the prefix, AKIA too, eyJ begins a token, sk-1"
      })
  void otherTextStaysAsItIs(String text) {
    assertThat(SecretRedactor.redact(text)).isSameAs(text);
  }

  @Test
  void privateKeysAreRedactedUpToTheirEnd() {
    String key =
        "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIE\nabc\n-----END RSA PRIVATE " + "KEY-----";
    assertThat(SecretRedactor.redact("a " + key + " b " + key + "\nc"))
        .isEqualTo("a [redacted] b [redacted]\nc");
    assertThat(SecretRedactor.redact("x " + key.replace("\n", "\\n") + "!"))
        .isEqualTo("x [redacted]!");
    assertThat(SecretRedactor.redact("x " + key.substring(0, 40))).isEqualTo("x [redacted]");
  }

  @Test
  void privateKeyIsRedactedLineByLine() {
    PrivateKeys lines = new PrivateKeys();
    assertThat(lines.redactLine("MIIE")).isEqualTo("MIIE");
    assertThat(lines.redactLine("-----BEGIN PRIVATE " + "KEY-----")).contains("BEGIN");
    assertThat(lines.redactLine("MIIE")).isEqualTo("[redacted]");
    assertThat(lines.redactLine("-----END PRIVATE " + "KEY-----")).isEqualTo("[redacted]");
    assertThat(lines.redactLine("MIIE")).isEqualTo("MIIE");
  }

  /** A pass that is quadratic takes minutes for one of these; all of them take a few seconds. */
  @Test
  @Timeout(60)
  void hostileTextTakesTimeInProportionToItsLength() {
    List<String> units =
        List.of(
            "eyJ",
            "-eyJaaaaaa",
            "eyJaaaaa.",
            "sk-",
            "-sk-aaaaaaa",
            "a://",
            "a://b:c",
            ":@",
            "token:\"",
            "token:'\\\"",
            "token:\\\"",
            "\"token\":\"\\\\",
            "password=",
            "password",
            "=",
            ":",
            "bearer ",
            "-----BEGIN PRIVATE " + "KEY-----",
            "-----BEGIN ",
            "authorization: bearer ",
            "SG.a",
            "_",
            "AKIA",
            "hooks.slack.com/x/",
            "basic aaaa",
            " ",
            "\\",
            "\"");
    for (String unit : units) {
      for (String before : List.of("", "token:\"")) {
        String once = SecretRedactor.redact(before + unit.repeat(300_000 / unit.length()));
        assertThat(SecretRedactor.redact(once).equals(once)).as(before + unit).isTrue();
      }
    }
  }

  /** Values that are no secrets are not skipped: each name looks at what follows it, however long. */
  @ParameterizedTest
  @ValueSource(strings = {"password:/", "authorization:$"})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void valuesThatStayTakeTimeInProportionToTheirLength(String unit) {
    String text = unit.repeat(3_000_000 / unit.length());
    assertThat(SecretRedactor.redact(text).equals(text)).isTrue();
  }

  @Test
  void longValueIsRedactedWhole() {
    String value = "x7".repeat(5_000);
    for (String pair :
        List.of("password=%s", "{\"password\": \"%s\"}", "authorization: bearer %s")) {
      assertThat(SecretRedactor.redact(pair.formatted(value))).doesNotContain("x7");
    }
  }

  @Test
  void basicCredentialsAreKnownByTheirColon() {
    String with = Base64.getEncoder().encodeToString("a:b".getBytes(UTF_8));
    String without = Base64.getEncoder().encodeToString("plain".getBytes(UTF_8));
    assertThat(SecretRedactor.redact("Basic " + with)).isEqualTo("[redacted]");
    assertThat(SecretRedactor.redact("Basic " + without)).isEqualTo("Basic " + without);
  }
}
