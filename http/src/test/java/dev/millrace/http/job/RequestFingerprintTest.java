package dev.millrace.http.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests have the same fingerprint. */
class RequestFingerprintTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'a':1,'b':{'c':2,'d':[{'x':1,'y':2}]}} | {'b':{'d':[{'y':2,'x':1}],'c':2},'a':1}
          {'a':1}                                 | {'a':1.0}
          {'a':100}                               | {'a':1e2}
          """)
  void equalRequestsHaveTheSameFingerprint(String one, String other) {
    assertThat(canonical(one)).isEqualTo(canonical(other));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [1,2]    | [2,1]
          {'a':1}  | {'a':'1'}
          {'a':1}  | {'a':true}
          {}       | {'a':null}
          {'a':[]} | {'a':{}}
          """)
  void differentRequestsHaveDifferentFingerprints(String one, String other) {
    assertThat(canonical(one)).isNotEqualTo(canonical(other));
  }

  private static String canonical(String text) {
    return RequestFingerprint.canonical(Json.parse(text.replace('\'', '"')));
  }

  @Test
  void boundariesOfPartsCount() {
    assertThat(RequestFingerprint.of("ab", "c"))
        .isNotEqualTo(RequestFingerprint.of("a", "bc"))
        .hasSize(64);
  }
}
