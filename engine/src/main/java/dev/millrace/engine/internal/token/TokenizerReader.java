package dev.millrace.engine.internal.token;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.token.TokenizerParts.Frame;
import dev.millrace.engine.internal.token.pretokenize.PreTokenizer;
import dev.millrace.engine.internal.token.pretokenize.PreTokenizerRegistry;
import java.util.List;
import java.util.Locale;

/**
 * Reads the tokenizer that a file describes. Defaults are those of llama.cpp (src/llama-vocab.cpp).
 */
public final class TokenizerReader {
  private static final String MODEL = "tokenizer.ggml.model";
  private static final String PRE = "tokenizer.ggml.pre";
  private static final String MERGES = "tokenizer.ggml.merges";
  private static final int NONE = -1;

  private final GgufMetadata metadata;

  public TokenizerReader(GgufMetadata metadata) {
    this.metadata = metadata;
  }

  public TokenizerParts read() {
    String model =
        metadata
            .findString(MODEL)
            .orElseThrow(
                () -> new EngineException("no tokenizer: the key " + MODEL + " is missing"));
    return switch (model) {
      case "llama" -> spm();
      case "gpt2" -> bpe(metadata.string(PRE, ""));
      case "gemma4" -> bpe("gemma4");
      case "bert" -> wordPiece();
      case "none", "no_vocab" ->
          throw new EngineException("no tokenizer: the key " + MODEL + " says \"" + model + "\"");
      default ->
          throw new EngineException(
              "the tokenizer \""
                  + model
                  + "\" (key "
                  + MODEL
                  + ") is not supported; supported: llama (SentencePiece), gpt2 (byte-level),"
                  + " gemma4, bert (WordPiece)");
    };
  }

  private TokenizerParts spm() {
    VocabularyTable tokens = VocabularyTable.of(metadata);
    SpecialTokenIds named = named(tokens, 1, 2, 0, NONE, NONE);
    boolean leadingSpace = metadata.flag("tokenizer.ggml.add_space_prefix", true);
    TextEncoder encoding =
        new SentencePieceEncoder(tokens, tokens.scores(metadata), named.unk, leadingSpace);
    return parts(tokens, named, encoding, frame(named, true, leadingSpace));
  }

  private TokenizerParts bpe(String pre) {
    PreTokenizer preTokenizer = PreTokenizerRegistry.named(pre);
    VocabularyTable tokens = VocabularyTable.of(metadata);
    String[] merges =
        metadata
            .findStrings(MERGES)
            .orElseThrow(
                () -> new EngineException("no tokenizer: the key " + MERGES + " is missing"));
    boolean glm = pre.equals("glm4") || pre.equals("chatglm-bpe");
    boolean gemma = !preTokenizer.bytes();
    SpecialTokenIds named =
        named(tokens, glm || gemma ? NONE : 11, gemma ? NONE : 11, NONE, NONE, NONE);
    Frame frame = frame(named, preTokenizer.addBos(), false);
    if (gemma && frame.before() < 0) {
      // some of these files wrongly say that they want no BOS
      frame = new Frame(required(named.bos, "bos_token_id"), frame.after(), false);
    }
    return parts(tokens, named, new BpeEncoder(tokens, merges, preTokenizer), frame);
  }

  private TokenizerParts wordPiece() {
    VocabularyTable tokens = VocabularyTable.of(metadata);
    SpecialTokenIds named = named(tokens, 101, NONE, 100, 102, 0);
    boolean lowerCase = metadata.flag("tokenizer.ggml.normalizer.lowercase", true);
    boolean strip = metadata.flag("tokenizer.ggml.normalizer.strip_accents", lowerCase);
    Frame frame =
        new Frame(
            required(named.bos, "bos_token_id"), required(named.sep, "seperator_token_id"), true);
    return parts(tokens, named, new WordPieceEncoder(tokens, named.unk, lowerCase, strip), frame);
  }

  private SpecialTokenIds named(
      VocabularyTable tokens, int bos, int eos, int unk, int sep, int pad) {
    return new SpecialTokenIds(
        metadata, tokens, new SpecialTokenIds.Defaults(bos, eos, unk, sep, pad));
  }

  private Frame frame(SpecialTokenIds named, boolean bosIfUnsaid, boolean leadingSpace) {
    boolean bos = metadata.flag("tokenizer.ggml.add_bos_token", bosIfUnsaid);
    boolean eos = metadata.flag("tokenizer.ggml.add_eos_token", false);
    return new Frame(
        bos ? required(named.bos, "bos_token_id") : NONE,
        eos ? required(named.eos, "eos_token_id") : NONE,
        leadingSpace);
  }

  private static int required(int id, String key) {
    if (id < 0) {
      throw new EngineException(
          "the tokenizer adds a token to every text, but the key tokenizer.ggml."
              + key
              + " does not say which, or one beyond the vocabulary");
    }
    return id;
  }

  private TokenizerParts parts(
      VocabularyTable tokens, SpecialTokenIds named, TextEncoder encoding, Frame frame) {
    return new TokenizerParts(
        tokens, named, new SpecialTokenFinder(tokens, strips(tokens)), encoding, frame);
  }

  /** The white space that special tokens strip. Files do not say it; the model's name does. */
  private SpecialTokenFinder.StripRule strips(VocabularyTable tokens) {
    String name = metadata.string("general.name", "").toLowerCase(Locale.ROOT);
    String pre = metadata.string(PRE, "");
    String architecture = metadata.string("general.architecture", "");
    boolean jina =
        pre.contains("jina-v2-de")
            || pre.contains("jina-v2-es")
            || pre.contains("jina-v2-code")
            || architecture.contains("nomic-bert-moe")
            || architecture.contains("jina-bert-v3");
    if (jina) {
      return left(tokens, "<mask>");
    } else if (name.contains("phi-3") || name.contains("phi3")) {
      List<String> kept = List.of("<unk>", "<s>", "<|endoftext|>");
      return token ->
          kept.contains(tokens.text(token))
              ? SpecialTokenFinder.StripSide.NONE
              : SpecialTokenFinder.StripSide.RIGHT;
    } else if (name.contains("modern-bert")) {
      return left(tokens, "[MASK]");
    }
    return token -> SpecialTokenFinder.StripSide.NONE;
  }

  private static SpecialTokenFinder.StripRule left(VocabularyTable tokens, String mask) {
    return token ->
        tokens.text(token).equals(mask)
            ? SpecialTokenFinder.StripSide.LEFT
            : SpecialTokenFinder.StripSide.NONE;
  }
}
