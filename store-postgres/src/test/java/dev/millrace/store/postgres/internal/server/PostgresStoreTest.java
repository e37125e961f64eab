package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.contract.StoreContract;
import dev.millrace.core.store.fixture.ContractSettings;

/** The store keeps the contract of all stores. */
class PostgresStoreTest extends StoreContract {
  private final PostgresStoreFixture fixture = new PostgresStoreFixture();

  @Override
  public JobStore open(ContractSettings settings) {
    return fixture.open(settings);
  }

  @Override
  public void abandon(JobStore store) {
    fixture.abandon(store);
  }

  @Override
  public Damage damage(JobId id) {
    return fixture.damage(id);
  }
}
