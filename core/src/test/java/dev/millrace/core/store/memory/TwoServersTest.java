package dev.millrace.core.store.memory;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.contract.StoreContract;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.StoreFixture;

/** The contract holds where two servers share the jobs: no store may assume that it is alone. */
class TwoServersTest extends StoreContract {
  private final StoreFixture fixture = new TwoServersFixture();

  @Override
  public JobStore open(ContractSettings settings) {
    return fixture.open(settings);
  }

  @Override
  public boolean isOneProcess() {
    return false;
  }

  @Override
  public Damage damage(JobId id) {
    return fixture.damage(id);
  }
}
