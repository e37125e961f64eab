package dev.millrace.engine.numerics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.EngineException;
import java.math.BigDecimal;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which outputs an engine continues, by made-up versions of its arithmetic. */
class ModelNumericsTest {
  private static final NumericsVersion ONE = NumericsVersion.of(1);
  private static final Set<String> Q4 = Set.of("q4_0", "q6_k");
  private static final Set<String> Q8 = Set.of("q8_0");

  /** Q8_0 has changed, and its old arithmetic is gone. */
  private static final SupportedNumerics CHANGED = SupportedNumerics.of(1).with("q8_0", Set.of(2));

  @Test
  void theNumberOneOfOldFilesIsTheVersionOfEveryModelNow() {
    for (Object old : new Object[] {1, 1L, "1"}) {
      assertThat(NumericsVersion.parse(old)).isEqualTo(ONE);
    }
    for (Set<String> formats : Set.of(Q4, Q8)) {
      ModelNumerics now = new ModelNumerics(SupportedNumerics.CURRENT, formats);
      assertThat(now.newest()).isEqualTo(ONE);
      assertThat(now.newest().toJson()).isEqualTo(1L);
    }
  }

  @Test
  void anotherVersionOfQ8LeavesModelsWithoutItAlone() {
    ModelNumerics model = new ModelNumerics(CHANGED, Q4);
    assertThat(model.newest()).isEqualTo(ONE);
    assertThat(model.select(ONE)).isEqualTo(ONE);
    assertThat(model.missing(ONE)).isEmpty();
  }

  @Test
  void anotherVersionOfQ8RestartsModelsWithIt() {
    ModelNumerics model = new ModelNumerics(CHANGED, Q8);
    assertThat(model.newest().toJson()).isEqualTo("1,q8_0=2");
    assertThat(model.select(ONE)).isEqualTo(model.newest());
    assertThat(model.select(ONE).changeSince(ONE))
        .contains("the version of the arithmetic of Q8_0 weights changed (1 then, 2 now)");
    assertThat(model.missing(ONE))
        .contains(new SupportedNumerics.Missing("the arithmetic of Q8_0 weights", 1, "2"));
  }

  @Test
  void anOutputContinuesUnderAnOldVersionThatTheEngineStillHas() {
    SupportedNumerics both = SupportedNumerics.of(1).with("q8_0", Set.of(1, 2));
    ModelNumerics model = new ModelNumerics(both, Q8);
    NumericsVersion newest = ONE.with("q8_0", 2);
    assertThat(model.newest()).isEqualTo(newest);
    assertThat(model.select(ONE)).isEqualTo(ONE);
    assertThat(model.select(newest)).isEqualTo(newest);
    assertThat(model.select(ONE.with("q8_0", 3))).isEqualTo(newest);
    assertThat(model.missing(ONE.with("q8_0", 3)).orElseThrow().supported()).isEqualTo("1 and 2");
    assertThat(model.newestOnly().select(ONE)).isEqualTo(newest);
  }

  @Test
  void aDowngradedEngineKnowsThatItCannotContinue() {
    ModelNumerics model = new ModelNumerics(SupportedNumerics.CURRENT, Q8);
    NumericsVersion later = ONE.with("q8_0", 2);
    assertThat(model.select(later).changeSince(later))
        .contains("the version of the arithmetic of Q8_0 weights changed (2 then, 1 now)");
  }

  @Test
  void theCommonVersionConcernsAllModels() {
    ModelNumerics model = new ModelNumerics(SupportedNumerics.of(2), Q4);
    assertThat(model.newest().toJson()).isEqualTo(2L);
    assertThat(model.select(ONE)).isEqualTo(model.newest());
    assertThat(model.newest().changeSince(ONE))
        .contains("the version of the arithmetic changed (1 then, 2 now)");
    assertThat(model.newest().changeSince(ONE.with("q6_k", 3)))
        .contains(
            "the version of the arithmetic changed (1 then, 2 now); "
                + "the version of the arithmetic of Q6_K weights changed (3 then, 1 now)");
  }

  @Test
  void textsComeBackAsTheyWere() {
    for (String text : new String[] {"0", "1", "12,q4_k=3,q8_0=2"}) {
      assertThat(NumericsVersion.parse(text)).hasToString(text);
      assertThat(NumericsVersion.parse(NumericsVersion.parse(text).toJson())).hasToString(text);
    }
    for (String text : new String[] {"1", "2,q4_k=2,q8_0=1+2+13"}) {
      assertThat(SupportedNumerics.parse(text)).hasToString(text);
    }
    assertThat(SupportedNumerics.parse("2,q8_0=1+2").formatsText()).isEqualTo("q8_0=1+2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "-1",
        "01",
        "1,",
        "x",
        "1,q8_0",
        "1,q8_0=",
        "1,q8_0=1",
        "1,q8_0=0",
        "1,Q8_0=2",
        "1,q8_0=2,q4_0=2",
        "1,q8_0=2,q8_0=3",
        "1 ",
        "1,q8_0=2+1",
        "1,q8_0=2+2",
        "99999999999"
      })
  void otherTextsAreRefused(String text) {
    assertThatThrownBy(() -> NumericsVersion.parse(text)).isInstanceOf(EngineException.class);
    assertThatThrownBy(() -> SupportedNumerics.parse(text)).isInstanceOf(EngineException.class);
  }

  @Test
  void otherJsonIsRefused() {
    for (Object json : new Object[] {new BigDecimal("1.0"), true, Set.of()}) {
      assertThatThrownBy(() -> NumericsVersion.parse(json)).isInstanceOf(EngineException.class);
    }
    assertThatThrownBy(() -> NumericsVersion.parse(null)).isInstanceOf(EngineException.class);
  }
}
