package dev.millrace.http.inference;

import dev.millrace.server.infer.direct.AnswerEvent;

/** What happens to one of the choices of a request. */
public sealed interface ChoiceEvent {
  /** The number of the choice, from 0. */
  int choice();

  /**
   * Its model is loaded and its request is accepted.
   *
   * @param model its full name
   */
  record Accepted(int choice, String model, int promptTokens) implements ChoiceEvent {}

  /** Its answer goes on, or has ended. */
  record Answered(int choice, AnswerEvent event) implements ChoiceEvent {}

  /** It was refused, or cannot be generated; no event of this choice follows. */
  record Failed(int choice, Throwable reason) implements ChoiceEvent {}
}
