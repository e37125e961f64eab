package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import java.util.List;

/** A command that pulls a lever on jobs: one row of {@link LeverTable}. */
public final class LeverCommand implements Command {
  private final LeverTable row;

  public LeverCommand(LeverTable row) {
    this.row = row;
  }

  @Override
  public Syntax syntax() {
    return new Syntax(
        row.command(),
        List.of("[DIR|URL] " + row.form().words() + " [options]"),
        row.summary(),
        List.of(LeverReport.COMMENT, PlaceLocator.OPTION),
        row.form().exitStatus());
  }

  @Override
  public int run(Shell shell, Arguments given) {
    PlaceLocator.Found found = PlaceLocator.locate(shell, given);
    try (Place place = found.place()) {
      LeverReport report = new LeverReport(shell, place, given.has(Option.JSON));
      for (JobLever each : row.read(found)) {
        report.report(each, place.apply(each.job(), each.lever(), LeverReport.cause(given)));
      }
      return report.status();
    }
  }
}
