package dev.millrace.cli.args;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentParserTest {
  private static final Option TAG = Option.value("tag", "TAG", "add a tag").letter('t').many();
  private static final Option NAME = Option.value("name", "NAME", "a name");
  private static final Option HOLD = Option.flag("hold", "on hold").letter('H');
  private static final Option LONG =
      Option.value("a-rather-long-option", "VALUE", "explained\non two lines");
  private static final Syntax SYNTAX =
      new Syntax(
          "try", List.of("DIR [WORD...]"), "Tries.", List.of(TAG, NAME, HOLD, LONG), "Notes.");

  private static Arguments parse(String... words) {
    return ArgumentParser.parse(SYNTAX, words, 0);
  }

  @Test
  void optionsAndWordsMayBeMixed() {
    Arguments given = parse("dir", "--tag", "a", "word", "-t", "b", "--tag=c", "-H", "last");
    assertThat(given.words()).containsExactly("dir", "word", "last");
    assertThat(given.all(TAG)).containsExactly("a", "b", "c");
    assertThat(given.has(HOLD)).isTrue();
    assertThat(given.has(NAME)).isFalse();
    assertThat(given.get(NAME)).isNull();
  }

  @Test
  void wordsBeforeTheStartAreNotRead() {
    assertThat(ArgumentParser.parse(SYNTAX, new String[] {"--nonsense", "dir"}, 1).words())
        .containsExactly("dir");
  }

  @Test
  void twoDashesEndTheOptions() {
    Arguments given = parse("dir", "--", "--tag", "-H", "--", "x");
    assertThat(given.words()).containsExactly("dir", "--tag", "-H", "--", "x");
    assertThat(given.has(TAG)).isFalse();
  }

  @Test
  void oneDashIsAWord() {
    assertThat(parse("-", "").words()).containsExactly("-", "");
  }

  @Test
  void valuesMayContainAnything() {
    assertThat(parse("--name=").get(NAME)).isEmpty();
    assertThat(parse("--name=a=b").get(NAME)).isEqualTo("a=b");
    assertThat(parse("--name", "-5").get(NAME)).isEqualTo("-5");
    assertThat(parse("--name=--hold").get(NAME)).isEqualTo("--hold");
    assertThat(parse("--name", "-").get(NAME)).isEqualTo("-");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--nmae x|unknown option: --nmae; did you mean --name?",
        "--hodl|unknown option: --hodl; did you mean --hold?",
        "--zzzzzz|unknown option: --zzzzzz; a text that starts with \"-\" follows after \"--\"",
        "-x|unknown option: -x; a text",
        "-Ht|unknown option: -Ht",
        "---|unknown option: ---",
        "--=x|unknown option: --",
        "--na=x|unknown option: --na",
        "--hold=yes|--hold takes no value",
        "--name|--name requires a value: --name NAME",
        "--name --hold|--name requires a value: --name NAME; if the value really is \"--hold\"",
        "--name -- x|--name requires a value",
        "--name a --name b|--name may be given only once",
      })
  void wrongArgumentsAreNamedInTheError(String line, String message) {
    assertThatThrownBy(() -> parse(line.split(" ")))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aFlagMayBeRepeated() {
    assertThat(parse("-H", "--hold").has(HOLD)).isTrue();
  }

  @Test
  void helpIsFoundAmongWrongArguments() {
    String[] words = {"--nonsense", "-h"};
    assertThat(ArgumentParser.asks(SYNTAX, Option.HELP, words, 0)).isTrue();
    assertThat(ArgumentParser.asks(SYNTAX, Option.HELP, new String[] {"--", "-h"}, 0)).isFalse();
    assertThat(ArgumentParser.asks(SYNTAX, Option.VERSION, new String[] {"-v"}, 0)).isFalse();
  }

  @Test
  void numbersAreChecked() {
    assertThat(parse("--name", "7").integer(NAME, 1, 9, 3)).isEqualTo(7);
    assertThat(parse().integer(NAME, 1, 9, 3)).isEqualTo(3);
    for (String wrong : List.of("0", "10", "x", "", "1.5", "99999999999999999999")) {
      assertThatThrownBy(() -> parse("--name=" + wrong).integer(NAME, 1, 9, 3))
          .hasMessage("--name must be a whole number from 1 to 9, not \"" + wrong + "\"");
    }
  }

  @Test
  void durationsAreChecked() {
    assertThat(parse("--name", "90s").duration(NAME)).isEqualTo(Duration.ofSeconds(90));
    assertThat(parse().duration(NAME)).isNull();
    for (String wrong : List.of("soon", "PT-1S", "999999999999d", "-1s", "")) {
      assertThatThrownBy(() -> parse("--name=" + wrong).duration(NAME))
          .isInstanceOf(UsageException.class)
          .hasMessageStartingWith("--name");
    }
  }

  @Test
  void excludedPairsAndExtraWordsAreNamed() {
    assertThatThrownBy(() -> parse("-H", "--name=x").exclude(HOLD, NAME))
        .hasMessage("--hold and --name are mutually exclusive");
    assertThatThrownBy(() -> parse("a", "b", "c").requireAtMost(2))
        .hasMessage("unexpected argument: c");
    parse("a", "b").requireAtMost(2);
  }

  @Test
  void theHelpIsRenderedFromTheSyntax() {
    assertThat(SYNTAX.help())
        .isEqualTo(
            """
            Usage: millrace try DIR [WORD...]

            Tries.

            Options:
              -t, --tag TAG             add a tag
                  --name NAME           a name
              -H, --hold                on hold
                  --a-rather-long-option VALUE
                                        explained
                                        on two lines
                  --json                print JSON
              -h, --help                show this help

            Notes.
            """);
  }

  @Test
  void aFileSuppliesOptionsThatAreNotGiven() {
    ConfiguredOptions preset =
        new ConfiguredOptions(
            java.util.Map.of("name", List.of("many"), "tag", List.of("x", "y")),
            java.util.Map.of("name", "f.toml, line 1: name", "tag", "f.toml, line 2: tag"));
    Arguments given = parse("dir", "--tag", "a").withDefaults(preset);
    assertThat(given.words()).containsExactly("dir");
    assertThat(given.all(TAG)).containsExactly("a");
    assertThat(given.get(NAME)).isEqualTo("many");
    assertThat(given.shown(TAG)).isEqualTo("--tag");
    assertThatThrownBy(() -> given.integer(NAME, 1, 2, 1))
        .hasMessageStartingWith("f.toml, line 1: name must be a whole number");
  }
}
