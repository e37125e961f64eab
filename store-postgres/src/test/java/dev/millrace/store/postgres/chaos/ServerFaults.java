package dev.millrace.store.postgres.chaos;

import dev.millrace.store.postgres.fixture.FaultyProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Disturbs servers and their connections, one at a time, and starts again what has ended. */
final class ServerFaults {
  /** What can happen to a server. */
  enum Fault {
    KILL,
    TERMINATE,
    /** For longer than its lease: it must notice that others have taken its tasks. */
    FREEZE,
    FREEZE_SHORTLY,
    CUT_CONNECTIONS,
    REFUSE_CONNECTIONS,
    STALL,
    LOSE_ANSWERS,
    DELAY,
    SET_CLOCK
  }

  private static final Duration MOST_TO_NOTICE = Duration.ofSeconds(60);

  private final ChaosRun run;
  private final List<ServerProcess> servers;
  private final List<FaultyProxy> proxies = new ArrayList<>();
  private final SplittableRandom random;
  private final FaultDeck<Fault> deck;

  /**
   * @param clients the connections of other processes
   */
  ServerFaults(ChaosRun run, List<ServerProcess> servers, List<FaultyProxy> clients) {
    this.run = run;
    this.servers = servers;
    this.random = run.random("server-faults");
    servers.forEach(server -> proxies.add(server.proxy()));
    proxies.addAll(clients);
    List<Fault> possible = new ArrayList<>(List.of(Fault.values()));
    if (!ServerClock.canBeSet()) {
      possible.remove(Fault.SET_CLOCK);
    }
    this.deck = new FaultDeck<>(possible, random);
  }

  void step() throws IOException, InterruptedException {
    run.linger(500 + random.nextInt(1_500));
    awaitServing();
    if (!run.ended()) {
      Fault fault = deck.draw();
      inflict(fault);
      run.history().note("end of " + fault);
      run.history().count("fault " + fault);
    }
    revive();
  }

  private void revive() throws IOException {
    for (ServerProcess server : servers) {
      server.revive();
    }
  }

  private List<ServerProcess> serving() {
    return servers.stream().filter(ServerProcess::isServing).toList();
  }

  /** A fault of a server that just starts would say little. */
  private void awaitServing() throws IOException, InterruptedException {
    while (serving().size() <= servers.size() / 2 && !run.ended()) {
      revive();
      run.linger(50);
    }
  }

  private void inflict(Fault fault) throws IOException, InterruptedException {
    List<ServerProcess> serving = serving();
    if (serving.isEmpty()) {
      return;
    }
    ServerProcess server = serving.get(random.nextInt(serving.size()));
    FaultyProxy proxy = proxies.get(random.nextInt(proxies.size()));
    run.history().note(fault + " of " + server.name() + " or port " + proxy.port());
    switch (fault) {
      case KILL -> server.signal("KILL");
      case TERMINATE -> server.askToEnd();
      case FREEZE -> freeze(server);
      case FREEZE_SHORTLY -> freezeFor(server, random.nextInt(1_500));
      case CUT_CONNECTIONS -> proxy.cut();
      case REFUSE_CONNECTIONS -> proxy.refuse();
      case STALL -> proxy.stall();
      case LOSE_ANSWERS -> proxy.loseAnswers();
      case DELAY -> proxy.delay(Duration.ofMillis(5 + random.nextInt(100)));
      case SET_CLOCK -> server.clock().set(hours());
    }
    switch (fault) {
      case REFUSE_CONNECTIONS, STALL, LOSE_ANSWERS, DELAY -> {
        run.linger(random.nextInt(2 * (int) ChaosSettings.LEASE.toMillis()));
        proxy.mend();
      }
      default -> run.linger(100);
    }
  }

  /** How far a clock is ahead. */
  private Duration hours() {
    return Duration.ofSeconds(random.nextInt(-12 * 3_600, 12 * 3_600));
  }

  private void freezeFor(ServerProcess server, long millis)
      throws IOException, InterruptedException {
    server.signal("STOP");
    run.linger(millis);
    server.signal("CONT");
  }

  private void freeze(ServerProcess server) throws IOException, InterruptedException {
    boolean whole = server.isServing();
    server.forgetRejoins();
    long millis = ChaosSettings.LEASE.toMillis() + 500 + random.nextInt(3_000);
    long before = System.nanoTime();
    freezeFor(server, millis);
    whole &= System.nanoTime() - before >= millis * 1_000_000;
    if (!whole) {
      return; // the run ended meanwhile, or it was about to end itself
    }
    if (server.awaitRejoin(MOST_TO_NOTICE)) {
      run.history().count("frozen server joined again");
    } else {
      run.history().problem(server.name() + " was frozen, and does not join again");
    }
  }

  /** Ends all faults: every server runs, and reaches the database. */
  void mend() throws IOException, InterruptedException {
    proxies.forEach(FaultyProxy::mend);
    for (ServerProcess server : servers) {
      server.signal("CONT");
    }
    revive();
  }
}
