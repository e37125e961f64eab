package dev.millrace.engine.internal.token;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import java.util.BitSet;
import java.util.List;

/**
 * The special tokens of a vocabulary by their role, -1 for none, and the tokens that end a
 * generation. Files name only some of them; the others are recognised by their texts, with the same
 * lists as in llama.cpp. A token with such a text is a control token, whatever its file says.
 */
public final class SpecialTokenIds {
  private static final List<String> END_OF_TURN =
      List.of(
          "<|eot_id|>",
          "<|im_end|>",
          "<|end|>",
          "<end_of_turn>",
          "<|endoftext|>",
          "<|end_of_text|>",
          "<EOT>",
          "_<EOT>",
          "[EOT]",
          "<\uFF5Cend\u2581of\u2581sentence\uFF5C>",
          "<end_of_utterance>");
  private static final List<String> ENDS =
      List.of(
          "<|eot_id|>",
          "<|im_end|>",
          "<|end|>",
          "<|return|>",
          "<|call|>",
          "<|flush|>",
          "<|calls|>",
          "<end_of_turn>",
          "<|endoftext|>",
          "</s>",
          "<|eom_id|>",
          "<EOT>",
          "_<EOT>",
          "[EOT]",
          "[EOS]",
          "<|end_of_text|>",
          "<end_of_utterance>",
          "<eos>",
          "<turn|>",
          "<|tool_response>",
          "<\uFF5Cend\u2581of\u2581sentence\uFF5C>",
          "[e~[");

  /** Parts of a channel header, which the reader of an answer needs to see. */
  private static final List<String> SHOWN =
      List.of("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>");

  /** How some files say that they have no such token: -1 as an unsigned number. */
  private static final long NONE = 0xffff_ffffL;

  private final GgufMetadata metadata;
  private final VocabularyTable tokens;
  private final BitSet ends = new BitSet();
  public final int bos;
  public final int eos;
  public final int eot;
  public final int unk;
  final int sep;
  public final int pad;

  /** Reads the ids; the defaults apply where the file has none. */
  SpecialTokenIds(GgufMetadata metadata, VocabularyTable tokens, Defaults defaults) {
    this.metadata = metadata;
    this.tokens = tokens;
    this.bos = id("bos_token_id", defaults.bos);
    this.eos = id("eos_token_id", defaults.eos);
    this.unk = id("unknown_token_id", defaults.unk);
    this.sep = id("seperator_token_id", defaults.sep); // sic
    this.pad = id("padding_token_id", defaults.pad);
    this.eot = byText("eot_token_id", END_OF_TURN);
    int eom = byText("eom_token_id", List.of("<|eom_id|>"));
    middles();
    for (String text : ENDS) {
      end(control(tokens.find(text)));
    }
    SHOWN.forEach(text -> become(tokens.find(text), TokenKind.USER_DEFINED));
    end(eos);
    end(eot);
    end(eom);
    retract();
  }

  /** The default ids of a kind of tokenizer; -1 for none. */
  record Defaults(int bos, int eos, int unk, int sep, int pad) {}

  public boolean isEnd(int token) {
    return ends.get(token);
  }

  public BitSet ends() {
    return (BitSet) ends.clone();
  }

  private int id(String key, int otherwise) {
    long given = metadata.longInteger("tokenizer.ggml." + key, -1);
    if (given >= tokens.size() && given != NONE) {
      throw new EngineException(
          "tokenizer.ggml.%s is %d: the vocabulary has tokens 0 to %d"
              .formatted(key, given, tokens.size() - 1));
    }
    long id = given >= 0 && given != NONE ? given : otherwise;
    return id < tokens.size() ? (int) id : -1;
  }

  private int byText(String key, List<String> texts) {
    int given = id(key, -1);
    if (given >= 0) {
      return given;
    }
    for (String text : texts) {
      int found = tokens.find(text);
      if (found >= 0) {
        return control(found);
      }
    }
    return -1;
  }

  /** The tokens for filling in the middle of a file; three of them end the filled-in text. */
  private void middles() {
    byText(
        "fim_pre_token_id",
        List.of(
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<\uFF5Cfim\u2581begin\uFF5C>",
            "<PRE>",
            "\u2581<PRE>",
            "<|code_prefix|>",
            "<|prefix|>"));
    byText(
        "fim_suf_token_id",
        List.of(
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<\uFF5Cfim\u2581hole\uFF5C>",
            "<SUF>",
            "\u2581<SUF>",
            "<|code_suffix|>",
            "<|suffix|>"));
    byText(
        "fim_mid_token_id",
        List.of(
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<\uFF5Cfim\u2581end\uFF5C>",
            "<MID>",
            "\u2581<MID>",
            "<|code_middle|>",
            "<|middle|>"));
    end(
        byText(
            "fim_pad_token_id",
            List.of("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]")));
    end(
        byText(
            "fim_rep_token_id",
            List.of("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>")));
    end(byText("fim_sep_token_id", List.of("<|file_sep|>")));
  }

  /**
   * Corrects the end tokens of some models: where calls and returns end an answer, {@code <|end|>}
   * ends only a part.
   */
  private void retract() {
    boolean calls = hasEnd("<|call|>") || hasEnd("<|calls|>");
    if (calls && (hasEnd("<|return|>") || hasEnd("<|flush|>")) && hasEnd("<|end|>")) {
      retract("<|end|>", TokenKind.USER_DEFINED);
    }
    if (hasEnd("<|tool_response>") && hasEnd("</s>")) {
      retract("</s>", TokenKind.NORMAL);
    }
  }

  private void retract(String text, int kind) {
    ends.clear(tokens.find(text));
    become(tokens.find(text), kind);
  }

  private boolean hasEnd(String text) {
    int token = tokens.find(text);
    return token >= 0 && ends.get(token);
  }

  private void end(int token) {
    if (token >= 0) {
      ends.set(token);
    }
  }

  private int control(int token) {
    if (token >= 0) {
      tokens.addKind(token, TokenKind.CONTROL);
    }
    return token;
  }

  private void become(int token, int kind) {
    if (token >= 0) {
      tokens.setKind(token, kind);
    }
  }
}
