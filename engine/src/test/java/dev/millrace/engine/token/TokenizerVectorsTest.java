package dev.millrace.engine.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.TestData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids from other sources: llama.cpp's conformance vectors, and llama.cpp itself. */
class TokenizerVectorsTest {

  @ParameterizedTest
  @ValueSource(strings = {"llama-spm", "llama-bpe", "gpt-2", "phi-3", "bert-bge"})
  void idsAreThoseOfTheVectors(String name) throws IOException {
    Tokenizer tokenizer = TestTokenizers.tokenizer(TestTokenizers.real(name));
    String file = "vocab/ggml-vocab-" + name + ".gguf";
    String[] texts =
        Files.readString(TestData.find(file + ".inp")).split("\n__ggml_vocab_test__\n", -1);
    List<String> ids = Files.readAllLines(TestData.find(file + ".out"));
    assertThat(texts).as("one behind the last line").hasSize(ids.size() + 1).endsWith("");
    assertThat(ids).hasSizeGreaterThan(40);
    for (int i = 0; i < ids.size(); i++) {
      assertThat(line(tokenizer.encode(texts[i], false, false)))
          .as("text %d: %s", i, texts[i])
          .isEqualTo(ids.get(i).strip());
    }
  }

  /** No merge joins what a pre-tokenizer cuts, so the ids show where it cuts. */
  @Test
  void everyPreTokenizerGivesTheIdsOfLlamaCpp() throws IOException {
    Map<String, Object> values = TestTokenizers.real("gpt-2");
    Map<String, Tokenizer> tokenizers = new HashMap<>();
    String text = "";
    int checked = 0;
    for (String line : peerLines()) {
      if (line.startsWith("text ")) {
        text = unescaped(line.substring(5));
        continue;
      }
      String[] parts = line.substring(4).split(": ", 2);
      for (String name : parts[0].split(",")) {
        Tokenizer tokenizer = tokenizers.computeIfAbsent(name, pre -> withPre(values, pre));
        assertThat(line(tokenizer.encode(text, false, false)))
            .as("%s: %s", name, text)
            .isEqualTo(parts[1]);
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(700);
  }

  private static Tokenizer withPre(Map<String, Object> values, String pre) {
    Map<String, Object> changed = new HashMap<>(values);
    changed.put("tokenizer.ggml.pre", pre);
    return TestTokenizers.tokenizer(changed);
  }

  private static List<String> peerLines() throws IOException {
    List<String> lines = new ArrayList<>();
    try (InputStream in = TokenizerVectorsTest.class.getResourceAsStream("peer-ids.txt");
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.startsWith("#")) {
          lines.add(line);
        }
      }
    }
    return lines;
  }

  /** Invisible characters are written as {@code \\u{hex}}, the others as in Java. */
  private static String unescaped(String text) {
    return Pattern.compile("\\\\u\\{([0-9a-f]+)}")
        .matcher(text)
        .replaceAll(found -> Character.toString(Integer.parseInt(found.group(1), 16)))
        .translateEscapes();
  }

  private static String line(int[] ids) {
    return Arrays.stream(ids).mapToObj(Integer::toString).collect(Collectors.joining(" "));
  }
}
