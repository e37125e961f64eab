package dev.millrace.http.verify;

import dev.millrace.api.server.TaskVerdict;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.VerifyRequest;
import dev.millrace.server.infer.VerifyResult;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One task that is run again for a client. It holds one of the server's permits until it has ended,
 * also after its client left.
 */
final class Verification {
  private final VerifyRequest request;
  private final VerifierAccess.Verifier verifier;
  private final Semaphore permits;
  private final AtomicBoolean started = new AtomicBoolean();

  /**
   * @param permits of which it has acquired one
   */
  Verification(VerifyRequest request, VerifierAccess.Verifier verifier, Semaphore permits) {
    this.request = request;
    this.verifier = verifier;
    this.permits = permits;
  }

  /** Sends keep-alives while the task runs, then the verdict. */
  void write(EventStream events, ClientWatch watch) throws IOException, InterruptedException {
    EventStream watched = watch.watched(events);
    watched.keepAlive(); // the header, at once
    VerifyResult result = watch.run(this::run, watched::keepAlive);
    watched.event(
        "verdict", new TaskVerdict(result.same(), result.repeated(), result.message()).toJson());
  }

  private VerifyResult run() {
    if (started.getAndSet(true)) { // its thread came so late that the permit is given back
      return VerifyResult.notRepeated("the client disconnected before it began");
    }
    try {
      return verifier.verify(request);
    } finally {
      permits.release();
    }
  }

  /** Gives the permit back if the task was not started. */
  void abandon() {
    if (!started.getAndSet(true)) {
      permits.release();
    }
  }
}
