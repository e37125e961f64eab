package dev.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.internal.gguf.GgufWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TokenizeCommandTest extends CommandFixture {
  @BeforeEach
  void model() throws IOException {
    String[] tokens = new String[3 + 256 + 3];
    int[] types = new int[tokens.length];
    float[] scores = new float[tokens.length];
    List<String> named = List.of("<unk>", "<s>", "</s>", "\u2581", "\u2581a", "a");
    for (int i = 0; i < tokens.length; i++) {
      boolean isByte = i >= 3 && i < 259;
      tokens[i] = isByte ? "<0x%02X>".formatted(i - 3) : named.get(i < 3 ? i : i - 256);
      types[i] = isByte ? 6 : i == 0 ? 2 : i < 3 ? 3 : 1;
    }
    new GgufWriter()
        .put("general.architecture", "llama")
        .put("tokenizer.ggml.model", "llama")
        .put("tokenizer.ggml.tokens", tokens)
        .put("tokenizer.ggml.token_type", types)
        .put("tokenizer.ggml.scores", scores)
        .write(dir.resolve("m.gguf"));
  }

  private String ids(String text, String... options) {
    String[] args = new String[options.length + 3];
    System.arraycopy(new String[] {"tokenize", "--model", "m.gguf"}, 0, args, 0, 3);
    System.arraycopy(options, 0, args, 3, options.length);
    InProcessCli.Result result = cli.stdin(text).run(args);
    assertThat(result.status()).as(result.err()).isZero();
    return result.out();
  }

  @Test
  void idsAreOnOneLine() {
    assertThat(ids("a a")).isEqualTo("1 260 260\n");
    assertThat(ids("a", "--no-bos")).isEqualTo("260\n");
    assertThat(ids("", "--no-bos")).isEqualTo("\n");
  }

  /** A final newline counts, and so do invalid bytes. */
  @Test
  void theExactBytesAreRead() {
    assertThat(ids("a\r\n", "--no-bos")).isEqualTo("260 16 13\n");
    InProcessCli.Result result =
        cli.stdin(new byte[] {'a', (byte) 0xFF, 0}).run("tokenize", "-m", "m.gguf", "--no-bos");
    assertThat(result.out()).isEqualTo("260 258 3\n");
  }

  @Test
  void controlTokensAreParsedOnlyIfAsked() {
    assertThat(ids("</s>", "--no-bos", "--special")).isEqualTo("2\n");
    assertThat(ids("</s>", "--no-bos")).doesNotContain(" 2 ").startsWith("259 63 ");
  }

  @Test
  void jsonHasIdsAndPieces() {
    JsonObject json = Json.object(ids("a\u00E9", "--json"));
    assertThat(json.get("ids")).isEqualTo(List.of(1L, 260L, 198L, 172L));
    assertThat(json.get("pieces")).isEqualTo(List.of("<s>", " a", "\uFFFD", "\uFFFD"));
    assertThat(json.integer("count")).isEqualTo(4);
  }

  @Test
  void aFileThatIsNoModelIsAnError() throws IOException {
    Files.writeString(dir.resolve("text.gguf"), "no model");
    new GgufWriter().put("general.architecture", "llama").write(dir.resolve("bare.gguf"));
    new GgufWriter().put("tokenizer.ggml.model", "t5").write(dir.resolve("t5.gguf"));
    refuses("none.gguf", "none.gguf");
    refuses("text.gguf", "text.gguf");
    refuses("bare.gguf", "bare.gguf: no tokenizer: the key tokenizer.ggml.model is missing");
    refuses("t5.gguf", "the tokenizer \"t5\"");
    assertThat(cli.run("tokenize").status()).isEqualTo(2);
    assertThat(cli.run("tokenize").err()).contains("--model is missing");
    assertThat(cli.run("tokenize", "--model", "m.gguf", "text").status()).isEqualTo(2);
  }

  private void refuses(String file, String reason) {
    InProcessCli.Result result = cli.run("tokenize", "--model", file);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("Error: ").contains(reason);
  }
}
