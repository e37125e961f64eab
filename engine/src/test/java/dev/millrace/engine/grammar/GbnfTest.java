package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class GbnfTest {
  private static final VocabularyTrie BYTES = new VocabularyTrie(TestVocabulary.bytesAnd());

  private static boolean accepts(String grammar, String text) {
    return read(Grammar.gbnf(grammar), text);
  }

  private static boolean read(Grammar grammar, String text) {
    Constraint.State state = Constraint.compile(grammar, BYTES).start();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (!state.accept((b & 0xff) + 2)) {
        return false;
      }
    }
    return state.mayEnd();
  }

  private static void refused(String grammar, String message) {
    assertThatThrownBy(() -> Grammar.gbnf(grammar))
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining(message);
  }

  @Test
  void jsonInTheStyleOfTheUsualGrammarReads() {
    String json =
        """
        root   ::= object
        value  ::= object | array | string | number | ("true" | "false" | "null") ws

        object ::=
          "{" ws (
                    string ":" ws value
            ("," ws string ":" ws value)*
          )? "}" ws

        array  ::=
          "[" ws (
                    value
            ("," ws value)*
          )? "]" ws

        string ::=
          "\\"" (
            [^"\\\\\\x7F\\x00-\\x1F] |
            "\\\\" (["\\\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
          )* "\\"" ws

        number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws

        # Optional space: by convention, applied in this grammar after literal chars when allowed
        ws ::= | " " | "\\n" [ \\t]{0,20}
        """;
    assertThat(accepts(json, "{\"a\": [1, -2.5e3, {\"é\\u00e9\": null}],\n  \"b\":\"x\\\\\"}"))
        .isTrue();
    assertThat(accepts(json, "{\"a\": [1, -2.5e3,]}")).isFalse();
    assertThat(accepts(json, "{\"a\" 1}")).isFalse();
  }

  @Test
  void arithmeticListsChessAndJapaneseRead() {
    String arithmetic =
        """
        root  ::= (expr "=" ws term "\\n")+
        expr  ::= term ([-+*/] term)*
        term  ::= ident | num | "(" ws expr ")" ws
        ident ::= [a-z] [a-z0-9_]* ws
        num   ::= [0-9]+ ws
        ws    ::= [ \\t\\n]*
        """;
    assertThat(accepts(arithmetic, "(a1 +2 ) *(3-(b))= c\n1=2\n")).isTrue();
    assertThat(accepts(arithmetic, "(a1 +2 *(3-(b))= c\n")).isFalse();
    String list =
        "root ::= item+\n"
            + "# Excludes various line break characters\n"
            + "item ::= \"- \" [^\\r"
            + "\\n"
            + "\\x0b\\x0c\\x85\\u2028\\u2029]+ \"\\n"
            + "\"";
    assertThat(accepts(list, "- one\n- zwölf 愛\n")).isTrue();
    assertThat(accepts(list, "- one\u2028\n")).isFalse();
    String chess =
        "root ::= \"1. \" move \" \" move \"\\n\" ([1-9] [0-9]? \". \" move \" \" move \"\\n\")+\n"
            + "move ::= (pawn | nonpawn | castle) [+#]?\n"
            + "nonpawn ::= [NBKQR] [a-h]? [1-8]? \"x\"? [a-h] [1-8]\n"
            + "pawn ::= ([a-h] \"x\")? [a-h] [1-8] (\"=\" [NBKQR])?\n"
            + "castle ::= \"O-O\" \"-O\"?\n";
    assertThat(accepts(chess, "1. e4 e5\n2. Nf3 exd4\n3. O-O-O Qxa8+\n")).isTrue();
    assertThat(accepts(chess, "1. e4 e5\n2. Nf3 exd9\n")).isFalse();
    String japanese =
        """
        root ::= jp-char+ ([ \\t\\n] jp-char+)*
        jp-char ::= hiragana | katakana | punctuation | cjk
        hiragana ::= [ぁ-ゟ]
        katakana ::= [ァ-ヿ]
        punctuation ::= [、-〾]
        cjk ::= [一-鿿]
        """;
    assertThat(accepts(japanese, "私は 猫。")).isTrue();
    assertThat(accepts(japanese, "私はa")).isFalse();
  }

  @Test
  void repetitionsClassesAndEscapesMeanWhatTheySay() {
    assertThat(accepts("root ::= \"a\"{2}", "aa")).isTrue();
    assertThat(accepts("root ::= \"a\"{2}", "aaa")).isFalse();
    assertThat(accepts("root ::= \"a\"{2,}", "aaaaa")).isTrue();
    assertThat(accepts("root ::= \"a\"{1,3} \"b\"", "aaab")).isTrue();
    assertThat(accepts("root ::= \"a\"{1,3} \"b\"", "aaaab")).isFalse();
    assertThat(accepts("root ::= [\\U0001F600-\\U0001F64F] . [\\]\\-x-]", "😀愛-")).isTrue();
    assertThat(accepts("root ::= [^\\x00-\\x7f]+", "é愛😀")).isTrue();
    assertThat(accepts("root ::= \"\\x41\\u00e9\\n\\t\\r\\\\\\\"\"", "Aé\n\t\r\\\"")).isTrue();
    assertThat(accepts("root ::= \"a\" |\n \"b\" # or\n | \"c\"\n", "c")).isTrue();
    assertThat(accepts("root ::= | \"x\"", "")).isTrue();
    assertThat(accepts("root ::= ((\"a\"*)* \"b\"?)+", "aab")).isTrue();
  }

  @Test
  void errorsNameLineAndColumn() {
    refused("root ::= \"a", "line 1, column 10: the literal is not closed");
    refused("root ::= a\nb ::= \"x\"", "line 1, column 10: rule a is not defined");
    refused(
        "root ::= (\"a\"\n",
        "line 2, column 1: expected ) for the group opened at line 1, column 10");
    refused("root = \"a\"", "expected ::= after the name of rule root");
    refused(
        "root ::= \"a\"\nroot ::= \"b\"",
        "line 2, column 1: rule root is defined already, at line 1, column 1");
    refused("root ::= [z-a]", "line 1, column 11: the range ends before its start");
    refused("root ::= \"\\q\"", "unknown escape");
    refused("root ::= \"\\ud800\"", "U+D800 is not a character");
    refused("root ::= \"a\"{3,2}", "repetition {3,2}");
    refused("root ::= \"a\"{999999}", "may count to 100000");
    refused("root ::= <think>", "tokens (<...>) are not supported");
    refused("root ::= \"a\" )", "expected the end of rule root, found ')'");
    refused("start ::= \"a\"", "no rule named root");
    refused("", "no rule named root");
    refused("root ::= " + "(".repeat(5000), "nested more than 200 deep");
  }

  @Test
  void invalidRulesAreRejectedByName() {
    refused("root ::= root \"a\" | \"b\"", "left recursion is not supported: root -> root");
    refused(
        "root ::= e\ne ::= t \"+\" | \"1\"\nt ::= ws e\nws ::= \" \"*",
        "left recursion is not supported");
    refused("root ::= \"a\" root", "rule root can never be completed");
    refused("root ::= []", "rule root can never be completed");
  }

  @Test
  void rightRecursionOfAnyDepthTakesConstantMemory() {
    StringBuilder text = new StringBuilder();
    text.append("a,".repeat(20_000)).append("a");
    assertThat(accepts("root ::= \"a\" (\",\" root)?", text.toString())).isTrue();
    assertThat(
            accepts("root ::= \"(\" root \")\" | \"x\"", "(".repeat(3000) + "x" + ")".repeat(3000)))
        .isTrue();
  }

  @Test
  void hostileGrammarsEndInAnAnswerOrAClearError() {
    // 2^n readings, shared: every prefix can be read in as many ways as there are strings of x and
    // y
    String ambiguous = "root ::= \"a\" root \"x\" | \"a\" root \"y\" | \"a\" root \"x\" | \"b\"";
    assertThat(accepts(ambiguous, "a".repeat(300) + "b" + "xy".repeat(150))).isTrue();
    String dangling = "root ::= \"i\" root (\"e\" root)? | \"s\"";
    assertThat(accepts(dangling, "i".repeat(200) + "s" + "es".repeat(200))).isTrue();
    assertThat(accepts("root ::= \"a\"{0,90000}", "a".repeat(100))).isTrue();
    String nested = "root ::= ((((\"a\"{0,300}){0,300}){0,300}){0,300}){0,300} \"b\"";
    assertThatThrownBy(() -> accepts(nested, "a".repeat(1000) + "b"))
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("too ambiguous");
    Grammar exponential = Grammar.gbnf("root ::= [ab]* \"a\" [ab]{20}");
    assertThatThrownBy(() -> Constraint.compile(exponential, BYTES))
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("more than 100000 states");
  }

  @Test
  void longCountsOfLargeBodiesCostOneStateEach() {
    String grammar = "root ::= (\"ab\" [0-9a-f]{2} \"é\" | \"long alternative\" | [^a-z]){0,20000}";
    assertThat(accepts(grammar, "ab0fé".repeat(50) + "X".repeat(100))).isTrue();
  }
}
