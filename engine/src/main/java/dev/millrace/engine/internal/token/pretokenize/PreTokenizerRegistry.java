package dev.millrace.engine.internal.token.pretokenize;

import dev.millrace.engine.error.EngineException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The pre-tokenizers by the names that files use. Names and expressions are those of llama.cpp
 * (src/llama-vocab.cpp), and give the same ids.
 */
public final class PreTokenizerRegistry {
  private static final String CONTRACTIONS =
      "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]";
  private static final String SPACES = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
  private static final String OTHERS = " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" + SPACES;
  private static final String WORDS = "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+";

  private static final String GPT2 =
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
  private static final String LLAMA3 = CONTRACTIONS + "|" + WORDS + "|\\p{N}{1,3}|" + OTHERS;
  private static final String QWEN2 = CONTRACTIONS + "|" + WORDS + "|\\p{N}|" + OTHERS;
  private static final String BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C)]+";
  private static final String LINES = "[^\\n]+|[\\n]+";
  private static final String CJK = "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+";

  /** Words that start with one case and end with the other; only ASCII letters have a case here. */
  private static final String CASED = cased("\\p{L}", "");

  /** The same for a tokenizer whose lookup of a letter's case fails, which makes both cases one. */
  private static final String UNCASED =
      "[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+(?:" + CONTRACTIONS + ")?";

  private static final String CASED_OTHERS = " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" + SPACES;

  private static final String DEEPSEEK3 =
      "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
          + "|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+";

  /** The letters of scripts that have two cases. */
  private static final String CASED_SCRIPTS =
      "A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-\u02AF"
          + "\u0370-\u0373\u0376\u0377\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1"
          + "\u03A3-\u03F5\u03F7-\u0481\u048A-\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-\u13F5"
          + "\u13F8-\u13FD\u1C90-\u1CBA\u1CBD-\u1CBF\u1D00-\u1D2B\u1D6B-\u1D77\u1D79-\u1D9A"
          + "\u1E00-\u1F15\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D"
          + "\u1F5F-\u1F7D\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3"
          + "\u1FD6-\u1FDB\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC\u2102\u2107\u210A-\u2113\u2115"
          + "\u2119-\u211D\u2124\u2126\u2128\u212A-\u212D\u212F-\u2134\u2139\u213C-\u213F"
          + "\u2145-\u2149\u214E\u2183\u2184\u2C00-\u2C7B\u2C7E-\u2CE4\u2CEB-\u2CEE\u2CF2\u2CF3"
          + "\uA640-\uA66D\uA680-\uA69B\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF"
          + "\uFB00-\uFB06\uFB13-\uFB17\uFF21-\uFF3A\uFF41-\uFF5A\uD801\uDC00-\uD801\uDC4F"
          + "\uD801\uDCB0-\uD801\uDCD3\uD801\uDCD8-\uD801\uDCFB\uD803\uDC80-\uD803\uDCB2"
          + "\uD803\uDCC0-\uD803\uDCF2\uD806\uDCA0-\uD806\uDCDF\uD83A\uDD00-\uD83A\uDD43";

  private static final Map<String, Supplier<PreTokenizer>> BY_NAME = new TreeMap<>();

  static {
    name(
        () -> new PreTokenizer("[\\p{P}\\$\\+<=>\\^~\\|]+", GPT2, "\\p{N}+", "[0-9][0-9][0-9]"),
        "default");
    name(
        () -> new PreTokenizer(LLAMA3).withWholeWords().withBos(),
        "llama3",
        "llama-v3",
        "llama-bpe",
        "falcon3",
        "falcon-h1",
        "pixtral",
        "midm-2.0",
        "lfm2",
        "jina-v5-nano");
    name(() -> new PreTokenizer(LLAMA3), "dbrx", "smaug-bpe", "glm4", "chatglm-bpe");
    name(
        () -> new PreTokenizer(GPT2),
        "gpt-2",
        "phi-2",
        "jina-es",
        "jina-de",
        "jina-v2-es",
        "jina-v2-de",
        "jina-v1-en",
        "jina-v2-code",
        "roberta-bpe",
        "gigachat",
        "a.x-4.0",
        "mellum",
        "modern-bert",
        "mpt",
        "olmo",
        "jais",
        "trillion",
        "granite-docling",
        "exaone4");
    name(
        () -> new PreTokenizer("\\p{N}", GPT2),
        "starcoder",
        "refact",
        "command-r",
        "smollm",
        "codeshell",
        "exaone",
        "minerva-7b",
        "mellum2");
    name(
        () -> new PreTokenizer(QWEN2),
        "qwen2",
        "deepseek-r1-qwen",
        "kormo",
        "f2llmv2",
        "megrez",
        "stablelm2",
        "hunyuan",
        "solar-open",
        "grok-2");
    name(() -> new PreTokenizer("[\\p{P}\\$\\+<=>\\^~\\|`]+", GPT2, "[0-9][0-9][0-9]"), "falcon");
    name(PreTokenizerRegistry::deepseekLlm, "deepseek-llm");
    name(
        () ->
            new PreTokenizer(
                "[\\r\\n]",
                "\\s?\\p{L}+",
                "\\s?\\p{P}+",
                "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+",
                "\\p{N}"),
        "deepseek-coder");
    name(
        () ->
            new PreTokenizer(
                "\\p{N}{1,3}", CJK, DEEPSEEK3 + "| ?[\\p{P}\\p{S}]+[\\r\\n]*|" + SPACES),
        "deepseek-v3",
        "hunyuan-dense",
        "joyai-llm",
        "hy_v4");
    name(
        () -> new PreTokenizer(CASED + "|\\p{N}|" + CASED_OTHERS).withWholeWords().withBos(),
        "tekken");
    name(
        () ->
            new PreTokenizer(
                cased("\\p{L}", "(?:" + CONTRACTIONS + ")?") + "|\\p{N}{1,3}|" + CASED_OTHERS),
        "gpt-4o",
        "llama4",
        "kanana2",
        "talkie",
        "minimax-m2");
    nameFurther();
  }

  private PreTokenizerRegistry() {}

  private static void nameFurther() {
    name(
        () ->
            new PreTokenizer(
                CONTRACTIONS
                    + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}"
                    + "| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|"
                    + SPACES),
        "qwen35");
    name(() -> new PreTokenizer(BLOOM), "bloom", "poro-chat", "gpt3-finnish");
    name(() -> new PreTokenizer(BLOOM, "\\p{N}"), "viking");
    name(() -> new PreTokenizer(LINES, QWEN2), "laguna");
    name(() -> new PreTokenizer(WORDS + "|\\p{N}|" + OTHERS), "ufakzeka");
    name(
        () ->
            new PreTokenizer(
                CONTRACTIONS + "|" + WORDS + "|\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" + SPACES),
        "seed-coder");
    name(
        () ->
            new PreTokenizer(
                "'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|"
                    + WORDS
                    + "|\\p{N}"
                    + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"),
        "bailingmoe",
        "bailingmoe2",
        "llada-moe");
    name(
        () ->
            new PreTokenizer("\\p{N}{1,3}", CONTRACTIONS + "|" + WORDS + "|\\p{N}+|" + OTHERS)
                .withWholeWords(),
        "minicpm5");
    name(
        () ->
            new PreTokenizer(
                    cased("\\p{L}\\p{M}", "(?:" + CONTRACTIONS + ")?")
                        + "|\\p{N}{1,3}|"
                        + CASED_OTHERS)
                .withWholeWords(),
        "granite-embed-multi-97m");
    name(
        () ->
            new PreTokenizer(
                "\\p{Han}+|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}&&[^\\p{Han}]]+(?:"
                    + CONTRACTIONS
                    + ")?"
                    + "|\\p{N}{1,3}|"
                    + OTHERS),
        "kimi-k2");
    name(
        () -> new PreTokenizer(LINES).withUtf8Words().withBos(),
        "gemma4",
        "granite-embed-multi-311m");
    name(
        () ->
            new PreTokenizer(
                "\\p{N}{1,3}",
                CJK,
                DEEPSEEK3 + "| ?[\\p{P}\\p{S}]+|[\\r\\n]|\\s+(?!\\S)|\\s+",
                "\\p{N}"),
        "spark2_5");
    name(
        () ->
            new PreTokenizer(
                CONTRACTIONS
                    + "|"
                    + WORDS
                    + "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r"
                    + "\\n"
                    + "]*|\\s*[\\r"
                    + "\\n"
                    + "]+|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)"
                    + "|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s"),
        "jais-2");
    name(
        () ->
            new PreTokenizer(
                    "<sentinel:[0-9]+>",
                    "IMGIMG[A-I]{1,4}Z",
                    "[\\t\\n]|    |  ",
                    "\\p{N}",
                    "[\\p{P}!-/:-@\\[-`{-~]",
                    GPT2)
                .withBos(),
        "chameleon");
    name(
        () ->
            new PreTokenizer(
                    "[\uAC00-\uD7A3\u3131-\u318E]+"
                        + "|[\uFF01\u2026\u201C\u201D\u2018\u2019\u2014\uFF1A\uFF1B\uFF0C\u3001-\u303F"
                        + "\uFE30-\uFE4F]+|[\u3105-\u312F]+|"
                        + CJK,
                    UNCASED + "|\\p{N}|" + CASED_OTHERS)
                .withWholeWords(),
        "youtu");
    name(PreTokenizerRegistry::afmoe, "afmoe");
    name(PreTokenizerRegistry::tinyAya, "tiny_aya", "cohere2moe");
  }

  /** The pre-tokenizer of this name; an empty name is the default. */
  public static PreTokenizer named(String name) {
    Supplier<PreTokenizer> found = BY_NAME.get(name.isEmpty() ? "default" : name);
    if (found == null) {
      throw new EngineException(
          "the pre-tokenizer \""
              + name
              + "\" (key tokenizer.ggml.pre) is not supported; supported: "
              + String.join(", ", names()));
    }
    return found.get();
  }

  /** The supported names, in alphabetical order. */
  public static Set<String> names() {
    return BY_NAME.keySet();
  }

  private static void name(Supplier<PreTokenizer> preTokenizer, String... names) {
    for (String name : names) {
      BY_NAME.put(name, preTokenizer);
    }
  }

  /** {@code letters} in any but ASCII lower case, then in any but ASCII upper case; then a tail. */
  private static String cased(String letters, String tail) {
    String upper = "[" + letters + "&&[^a-z]]";
    String lower = "[" + letters + "&&[^A-Z]]";
    String lead = "[^\\r\\n\\p{L}\\p{N}]?";
    return lead + upper + "*" + lower + "+" + tail + "|" + lead + upper + "+" + lower + "*" + tail;
  }

  private static PreTokenizer deepseekLlm() {
    return new PreTokenizer(
        TextSplitter.by("[\\r\\n]"),
        TextSplitter.by("\\s?[" + CASED_SCRIPTS + "]+"),
        TextSplitter.by("\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+"),
        TextSplitter.trailingSpace(),
        TextSplitter.by("[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+"),
        TextSplitter.by("\\p{N}+"));
  }

  private static PreTokenizer afmoe() {
    return new PreTokenizer(
        TextSplitter.digitGroups(),
        TextSplitter.by(
            "[\u4E00-\u9FFF\u3400-\u4DBF\u8C48-\uFAFF\u3040-\u309F\u30A0-\u30FF\uFF65-\uFF9F"
                + "\u2F00-\u2FDF\u0E40-\u0E7F\u0E80-\u0EFF\u1780-\u17FF\u1000-\u109F\uAA60-\uAA7F"
                + "\uA9E0-\uA9FF\uAC00-\uD7AF\u1100-\u11FF]+"),
        TextSplitter.by(DEEPSEEK3 + "| ?[\\p{P}\\p{S}]+[\\r\\n]*|" + SPACES));
  }

  private static PreTokenizer tinyAya() {
    return new PreTokenizer(
        TextSplitter.digitGroups(), TextSplitter.by(UNCASED + "|\\p{N}{1,3}|" + CASED_OTHERS));
  }
}
