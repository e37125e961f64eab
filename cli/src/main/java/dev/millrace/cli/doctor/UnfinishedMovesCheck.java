package dev.millrace.cli.doctor;

import dev.millrace.cli.place.UnfinishedMoves;

/** Finds jobs that an interrupted move has left between two stores. */
public final class UnfinishedMovesCheck {
  private final UnfinishedMoves moves;

  public UnfinishedMovesCheck(UnfinishedMoves moves) {
    this.moves = moves;
  }

  public void run(Findings findings) {
    for (String to : moves.byDestination().keySet()) {
      findings.warn("moves", moves.text(to), moves.remedy(to).to("finishes it"));
    }
    if (moves.byDestination().isEmpty()) {
      findings.ok("moves", "no job is on its way to another store");
    }
  }
}
