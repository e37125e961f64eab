package dev.millrace.cli.soak;

import dev.millrace.api.ApiJob;
import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.client.RetryPolicy;
import dev.millrace.core.json.JsonObject;

/** Submits jobs, each with a key of its own under which it asks again until an answer comes. */
final class SubmittingClient extends SoakClient {
  private static final int TRIES = 6;

  private int submitted;

  SubmittingClient(SoakRun run, String actor) {
    super(run, actor, RetryPolicy.DEFAULT);
  }

  @Override
  void step() throws InterruptedException {
    run.linger(100 + random.nextInt(900));
    SoakDocuments.Kind kind = SoakDocuments.kind(random);
    String name = actor + "-" + ++submitted;
    JsonObject document = SoakDocuments.document(kind, name);
    for (int i = 0; i < TRIES; i++) {
      ApiJob job = read(() -> client.jobs().submit(document, name));
      if (job != null) {
        String id = job.ownId().value();
        run.history().add(actor, "submit", id, name, Answer.ACKNOWLEDGED);
        run.jobs().add(new SoakJobs.Known(job.id(), id, kind));
        return;
      }
      run.linger(500);
    }
    run.history().add(actor, "submit", "", name, Answer.UNKNOWN);
  }
}
