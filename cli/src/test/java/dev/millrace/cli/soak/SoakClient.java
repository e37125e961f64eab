package dev.millrace.cli.soak;

import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.RetryPolicy;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** What the clients of a soak have in common: a connection, and what an error means. */
abstract class SoakClient implements AutoCloseable {
  protected final SoakRun run;
  protected final String actor;
  protected final SplittableRandom random;
  protected final MillraceClient client;

  SoakClient(SoakRun run, String actor, RetryPolicy retries) {
    this.run = run;
    this.actor = actor;
    random = run.random(actor);
    client =
        MillraceClient.builder(run.address())
            .connectTimeout(Duration.ofSeconds(5))
            .requestTimeout(Duration.ofSeconds(15))
            .retries(retries)
            .build();
  }

  abstract void step() throws InterruptedException;

  /** Whether an error of the server says that nothing was done: it was not our request's fault. */
  static boolean isBusy(ApiException e) {
    return e.status() >= 500 || e.status() == 429 || e.status() == 408;
  }

  /**
   * Asks, and notes the answer. No answer, or that of a server in trouble, is UNKNOWN. That there
   * is no such job is never an answer: its submission was acknowledged.
   */
  final Answer ask(String verb, String subject, String mark, Runnable request) {
    Answer answer = answer(request);
    run.history().add(actor, verb, subject, mark, answer);
    return answer;
  }

  private Answer answer(Runnable request) {
    try {
      request.run();
      return Answer.ACKNOWLEDGED;
    } catch (ApiException e) {
      if (isBusy(e)) {
        return Answer.UNKNOWN;
      }
      if (e.code().equals("JOB_NOT_FOUND")) {
        throw e;
      }
      return Answer.REFUSED;
    } catch (ClientException e) {
      return Answer.UNKNOWN;
    }
  }

  /** Reads something; null if no server answers. */
  static <T> @org.jspecify.annotations.Nullable T read(Supplier<T> request) {
    try {
      return request.get();
    } catch (ApiException e) {
      if (isBusy(e)) {
        return null;
      }
      throw e;
    } catch (ClientException e) {
      return null;
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
